#include "plr/distributed/world.h"

#include <ATen/ATen.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#ifdef USE_C10D_NCCL
#include <ATen/cuda/CUDAContext.h>
#include <torch/csrc/cuda/nccl.h>

#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "plr/collect/rank_lost.h"
#include "plr/collect/stopwatch.h"

namespace plr::distributed {
namespace {

using collect::RankLost;
using StorePtr = c10::intrusive_ptr<c10d::Store>;
using BackendPtr = c10::intrusive_ptr<c10d::Backend>;

// For all ranks to start, and for a rank that is busy, such as with an evaluation.
constexpr std::chrono::minutes kMeetingTimeout(5);
constexpr std::chrono::minutes kTimeout(10);

// Messages of c10d have stack traces after the first line.
std::string first_line(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

// Calls f(); turns the errors of c10d into RankLost.
template <class F>
auto expect_ranks(F f) {
  try {
    return f();
  } catch (const std::exception& error) {
    throw RankLost("another rank has ended or does not answer (" + first_line(error) + ")");
  }
}

// A socket that listens on this address only; TCPStore's own would listen on every one.
int listen_on(const std::string& address, std::uint16_t port) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string service = std::to_string(port);
  const int status = ::getaddrinfo(address.c_str(), service.c_str(), &hints, &found);
  if (status != 0) {
    throw std::invalid_argument("MASTER_ADDR must be an address of this machine, not " + address +
                                ": " + ::gai_strerror(status));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
  const int file = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(file, found->ai_addr, found->ai_addrlen) != 0 || ::listen(file, SOMAXCONN) != 0) {
    const std::string cause = std::strerror(errno);
    ::close(file);
    throw std::invalid_argument(
        "MASTER_ADDR and MASTER_PORT must be a free port of this machine, not " + address + ":" +
        service + ": " + cause);
  }
  return file;
}

bool is_loopback(const std::string& address) {
  return address == "localhost" || address.starts_with("127.");
}

StorePtr meet(const Launch& launch) {
  c10d::TCPStoreOptions options;
  options.port = launch.port;
  options.isServer = launch.rank == 0 && !launch.has_agent;
  options.numWorkers = static_cast<std::size_t>(launch.size);
  options.timeout = kMeetingTimeout;
  const std::string address = is_loopback(launch.address) ? "127.0.0.1" : launch.address;
  if (options.isServer) options.masterListenFd = listen_on(address, launch.port);
  return expect_ranks(
      [&]() -> StorePtr { return c10::make_intrusive<c10d::TCPStore>(address, options); });
}

BackendPtr make_gloo(const StorePtr& store, const std::string& name, int rank, int size,
                     bool is_local) {
  return expect_ranks([&]() -> BackendPtr {
    auto options = c10d::ProcessGroupGloo::Options::create(kTimeout);
    // By default on the interface of GLOO_SOCKET_IFNAME or of the machine's name.
    options->devices.push_back(is_local
                                   ? c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1")
                                   : c10d::ProcessGroupGloo::createDefaultDevice());
    options->threads = 1;  // one call at a time
    return c10::make_intrusive<c10d::ProcessGroupGloo>(
        c10::make_intrusive<c10d::PrefixStore>(name, store), rank, size, options);
  });
}

at::Tensor view_of(std::span<const std::byte> bytes) {
  // from_blob takes a mutable pointer; callers of input tensors only read.
  return at::from_blob(const_cast<std::byte*>(bytes.data()),
                       {static_cast<std::int64_t>(bytes.size())}, at::kByte);
}

#ifdef USE_C10D_NCCL
// Whether this program was compiled with the headers of the NCCL that torch uses: the layout of its
// options depends on the version.
bool has_headers_of_nccl() {
  constexpr std::uint64_t kVersion =
      (std::uint64_t{NCCL_MAJOR} << 32) | (std::uint64_t{NCCL_MINOR} << 16) | NCCL_PATCH;
  return torch::cuda::nccl::version() == kVersion;
}
#endif

void all_gather(c10d::Backend& backend, at::Tensor mine, at::Tensor all) {
  expect_ranks([&] { backend._allgather_base(all, mine)->wait(); });
}

}  // namespace

struct World::Connections {
  StorePtr store;
  bool is_local = true;    // the ranks meet at a loopback address
  BackendPtr host = {};    // Gloo
  BackendPtr device = {};  // NCCL, if it is used
  bool all_reduce = false;
};

World::World(int rank, int size, std::unique_ptr<Connections> connections)
    : rank_(rank), size_(size), connections_(std::move(connections)) {
  if (connections_) {
    connections_->host = make_gloo(connections_->store, "host", rank, size, connections_->is_local);
  }
}

World::~World() {
  // NCCL's threads must end before the process does.
  if (connections_ && connections_->device) connections_->device->shutdown();
}

std::shared_ptr<World> World::alone() { return std::shared_ptr<World>(new World(0, 1, nullptr)); }

std::shared_ptr<World> World::join(const Launch& launch) {
  if (launch.size == 1) return alone();
  // Ranks that were started again must not find the keys of those before.
  StorePtr store =
      c10::make_intrusive<c10d::PrefixStore>("plr" + std::to_string(launch.attempt), meet(launch));
  auto connections = std::make_unique<Connections>(
      Connections{.store = std::move(store), .is_local = is_loopback(launch.address)});
  const std::shared_ptr<World> world(new World(launch.rank, launch.size, std::move(connections)));
  world->local_rank_ = launch.local_rank;
  world->num_local_ = launch.local_size;
  return world;
}

std::vector<std::shared_ptr<World>> World::of_threads(int size) {
  const StorePtr store = c10::make_intrusive<c10d::HashStore>();
  std::vector<std::shared_ptr<World>> worlds(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      worlds[static_cast<std::size_t>(rank)].reset(
          new World(rank, size, std::make_unique<Connections>(Connections{store})));
    });
  }
  for (std::thread& thread : threads) thread.join();
  return worlds;
}

std::vector<std::vector<std::byte>> World::gather(std::span<const std::byte> mine) {
  if (!connections_) return {{mine.begin(), mine.end()}};
  const collect::Stopwatch watch(time_);
  // Sizes first, then bytes, padded to the longest.
  const at::Tensor sizes = at::zeros({size_}, at::kLong);
  all_gather(*connections_->host, at::full({1}, static_cast<std::int64_t>(mine.size()), at::kLong),
             sizes);
  const std::int64_t longest = std::max<std::int64_t>(sizes.max().item<std::int64_t>(), 1);
  const at::Tensor padded = at::zeros({longest}, at::kByte);
  if (!mine.empty())
    padded.slice(0, 0, static_cast<std::int64_t>(mine.size())).copy_(view_of(mine));
  const at::Tensor all = at::empty({size_ * longest}, at::kByte);
  all_gather(*connections_->host, padded, all);
  std::vector<std::vector<std::byte>> parts;
  for (int rank = 0; rank < size_; ++rank) {
    const auto* begin = static_cast<const std::byte*>(all.const_data_ptr()) + rank * longest;
    parts.emplace_back(begin, begin + sizes[rank].item<std::int64_t>());
  }
  return parts;
}

std::vector<std::byte> World::broadcast(std::span<const std::byte> mine) {
  return gather(is_first() ? mine : std::span<const std::byte>()).front();
}

void World::use_device(at::Device device, [[maybe_unused]] bool all_reduce) {
  if (!connections_ || !device.is_cuda()) return;
  transport_ = "Gloo, through host memory";
#ifdef USE_C10D_NCCL
  if (!has_headers_of_nccl()) return;
  // NCCL refuses ranks that share a GPU.
  const cudaDeviceProp* properties = at::cuda::getDeviceProperties(device.index());
  std::set<std::vector<std::byte>> gpus;
  for (std::vector<std::byte>& gpu : gather(std::as_bytes(std::span(properties->uuid.bytes)))) {
    gpus.insert(std::move(gpu));
  }
  if (static_cast<int>(gpus.size()) < size_) return;
  connections_->all_reduce = all_reduce;
  connections_->device = expect_ranks([&]() -> BackendPtr {
    auto options = c10d::ProcessGroupNCCL::Options::create();
    options->timeout = kTimeout;
    return c10::make_intrusive<c10d::ProcessGroupNCCL>(
        c10::make_intrusive<c10d::PrefixStore>("nccl", connections_->store), rank_, size_, options);
  });
  transport_ = all_reduce ? "NCCL, all-reduce" : "NCCL";
#endif
}

void World::sum(at::Tensor& flat) {
  if (!connections_) return;
  const collect::Stopwatch watch(time_);
  if (connections_->device) {
    if (connections_->all_reduce) {
      std::vector<at::Tensor> tensors = {flat};
      expect_ranks([&] { connections_->device->allreduce(tensors)->wait(); });
      return;
    }
    at::Tensor rows = at::empty({size_, flat.numel()}, flat.options());
    all_gather(*connections_->device, flat, rows);
    while (rows.size(0) > 1) {
      const at::Tensor pairs = rows.view({rows.size(0) / 2, 2, flat.numel()});
      rows = pairs.select(1, 0) + pairs.select(1, 1);
    }
    flat.copy_(rows[0]);
    return;
  }
  at::Tensor mine = flat.to(at::kCPU);
  at::Tensor theirs = at::empty_like(mine);
  // After each round a rank has the sum of the 2 * distance ranks around it.
  for (int distance = 1; distance < size_; distance *= 2) {
    std::vector<at::Tensor> out = {mine};
    std::vector<at::Tensor> in = {theirs};
    expect_ranks([&] {
      auto received = connections_->host->recv(in, rank_ ^ distance, distance);
      auto sent = connections_->host->send(out, rank_ ^ distance, distance);
      sent->wait();
      received->wait();
    });
    // The lower ranks first, on both sides.
    mine = (rank_ & distance) == 0 ? mine + theirs : theirs + mine;
  }
  flat.copy_(mine);
}

World::Exchange World::open_exchange() {
  const BackendPtr group =
      make_gloo(connections_->store, "exchange", rank_, size_, connections_->is_local);
  return [group](std::span<const std::byte> mine, std::span<std::byte> all) {
    all_gather(*group, view_of(mine), view_of(all));
  };
}

}  // namespace plr::distributed
