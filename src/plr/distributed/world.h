// The ranks of a run: processes that compute it together, connected by torch's c10d.
//
//   const std::shared_ptr<World> world = World::join(launch_from_environment());
//   world->sum(gradients);                       // replaced by the sum over ranks
//   for (const auto& bytes : world->gather(mine)) ...
//
// All ranks make the same calls in the same order; each waits for the others.  If a rank ends or
// does not answer, the calls of the others throw collect::RankLost, and none can be made any more.
// The functions of a world with one rank do nothing and need no network.
//
// sum() adds in a binary tree over ranks, so that the result is bitwise identical on every rank, in
// every run and on every backend: Gloo between CPUs, NCCL between GPUs.  The exception is NCCL's
// all-reduce (use_device()), whose result may differ between runs.
//
// Not copyable.  Not thread-safe: one thread per rank.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plr/collect/stopwatch.h"
#include "plr/distributed/launch.h"

namespace plr::distributed {

class World {
 public:
  // One rank.
  static std::shared_ptr<World> alone();
  // Meets the other ranks. Throws collect::RankLost if they do not come in time.
  static std::shared_ptr<World> join(const Launch& launch);
  // Ranks that are threads of this process, for tests: one world per rank, with connections even if
  // there is only one.
  static std::vector<std::shared_ptr<World>> of_threads(int size);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_first() const { return rank_ == 0; }
  // Among the ranks of this machine, as far as the launcher tells it.
  int local_rank() const { return local_rank_; }
  int num_local() const { return num_local_; }

  // Uses NCCL for the tensors of this device, if it is a CUDA device, the program was built with
  // the headers of torch's NCCL and no two ranks share a GPU; else tensors are copied to host
  // memory.  With `all_reduce`, NCCL adds in an order of its own, which may differ between runs.
  void use_device(at::Device device, bool all_reduce);
  // Time that calls of this rank have taken.
  collect::Seconds time() const { return time_; }
  // How tensors of the device are summed: "NCCL", "Gloo", or "Gloo, through host memory".
  const std::string& transport() const { return transport_; }

  // Replaces a flat tensor by its sum over ranks.
  void sum(at::Tensor& flat);
  // The bytes of all ranks, in their order.
  std::vector<std::vector<std::byte>> gather(std::span<const std::byte> mine);
  // Those of rank 0.
  std::vector<std::byte> broadcast(std::span<const std::byte> mine);
  void barrier() { gather({}); }

  // Sends equally many bytes to all ranks and receives theirs, in their order, over connections of
  // their own, so that another thread can use them.  Throws as the functions above.
  using Exchange = std::function<void(std::span<const std::byte> mine, std::span<std::byte> all)>;
  Exchange open_exchange();

 private:
  struct Connections;
  World(int rank, int size, std::unique_ptr<Connections> connections);

  int rank_;
  int size_;
  int local_rank_ = 0;
  int num_local_ = 1;
  collect::Seconds time_{};
  std::string transport_ = "Gloo";
  std::unique_ptr<Connections> connections_;  // null if it is alone
};

}  // namespace plr::distributed
