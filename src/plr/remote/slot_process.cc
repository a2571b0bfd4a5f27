#include "plr/remote/slot_process.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace plr::remote {
namespace {

constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kMaxReply = 1U << 30;

[[noreturn]] void fail_to_share(const char* what) {
  throw std::runtime_error(std::string("cannot share memory with the Python environment: ") + what +
                           ": " + std::strerror(errno));
}

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}
template <class T>
std::span<std::byte> writable_bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

template <class T>
std::vector<T> numbers_in(std::istream& line) {
  std::vector<T> numbers;
  std::string word;
  while (line >> word) {
    if constexpr (std::is_same_v<T, float>) {
      numbers.push_back(std::strtof(word.c_str(), nullptr));  // reads "inf" too
    } else {
      numbers.push_back(static_cast<T>(std::stol(word)));
    }
  }
  return numbers;
}

// The parts of the shared memory of n slots.
struct Layout {
  Layout(const RemoteSpec& spec, std::size_t observation_size, std::size_t n)
      : actions(8 * n),
        observations(actions + 4 * n * spec.actions.size()),
        ends(observations + n * observation_size),
        size(ends + 3 * n) {}

  std::size_t actions;
  std::size_t observations;
  std::size_t ends;  // terminated, truncated, solved
  std::size_t size;
};

}  // namespace

RemoteSpec parse_spec(const std::string& text) {
  RemoteSpec spec;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name == "observation_shape") {
      const std::vector<int> shape = numbers_in<int>(words);
      if (shape.size() == 3) std::ranges::copy(shape, spec.observation_shape.begin());
    } else if (name == "observation_type") {
      words >> name;
      spec.observation_type = name == "float" ? ElementType::kFloat : ElementType::kByte;
    } else if (name == "discrete") {
      int count = 0;
      words >> count;
      spec.actions = ActionSpace::discrete(count);
    } else if (name == "multi_discrete") {
      spec.actions = ActionSpace::multi_discrete(numbers_in<int>(words));
    } else if (name == "continuous") {
      std::vector<float> bounds = numbers_in<float>(words);  // all low, then all high
      const auto middle = bounds.begin() + static_cast<std::ptrdiff_t>(bounds.size() / 2);
      spec.actions = ActionSpace::continuous({bounds.begin(), middle}, {middle, bounds.end()});
    } else if (name == "max_steps") {
      words >> spec.max_steps;
    } else if (name == "can_save") {
      words >> spec.can_save;
    }
  }
  const bool has_shape =
      std::ranges::all_of(spec.observation_shape, [](int length) { return length > 0; });
  if (!has_shape || !spec.actions.is_valid() || spec.max_steps < 1) {
    throw std::runtime_error("the Python environment has an invalid description: " + text);
  }
  return spec;
}

SlotProcess::SlotProcess(const std::filesystem::path& socket, int num_slots)
    : channel_(socket), num_slots_(num_slots) {
  const std::array<std::uint32_t, 2> hello = {kVersion, static_cast<std::uint32_t>(num_slots)};
  channel_.send(bytes_of(hello));
  const std::vector<std::byte> text = collect();
  spec_ = parse_spec({reinterpret_cast<const char*>(text.data()), text.size()});
  const auto [height, width, channels] = spec_.observation_shape;
  observation_size_ = static_cast<std::size_t>(height) * static_cast<std::size_t>(width) *
                      static_cast<std::size_t>(channels) * size_of(spec_.observation_type);
  memory_size_ = Layout(spec_, observation_size_, static_cast<std::size_t>(num_slots_)).size;

  const Descriptor file(memfd_create("plr", MFD_CLOEXEC));
  if (file.number() < 0) fail_to_share("memfd_create");
  if (ftruncate(file.number(), static_cast<off_t>(memory_size_)) != 0) fail_to_share("ftruncate");
  void* memory = mmap(nullptr, memory_size_, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (memory == MAP_FAILED) fail_to_share("mmap");
  memory_ = static_cast<std::byte*>(memory);
  channel_.share(file);
}

SlotProcess::~SlotProcess() {
  if (memory_ != nullptr) munmap(memory_, memory_size_);
}

void SlotProcess::submit(Request request, std::span<const std::byte> bytes) {
  request.size = static_cast<std::uint32_t>(bytes.size());
  channel_.send(bytes_of(request));
  channel_.send(bytes);
}

std::vector<std::byte> SlotProcess::collect() {
  std::array<std::uint32_t, 2> header = {};  // status, size
  channel_.receive(writable_bytes_of(header));
  if (header[1] > kMaxReply) throw std::runtime_error("the Python environment sent a wrong reply");
  std::vector<std::byte> bytes(header[1]);
  channel_.receive(bytes);
  if (header[0] == 0) return bytes;
  throw std::runtime_error("the Python environment failed: " +
                           std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

std::span<Action> SlotProcess::actions() {
  const auto n = static_cast<std::size_t>(num_slots_);
  const Layout layout(spec_, observation_size_, n);
  return {reinterpret_cast<Action*>(memory_ + layout.actions), n * spec_.actions.size()};
}

StepBatch SlotProcess::results() {
  const auto n = static_cast<std::size_t>(num_slots_);
  const Layout layout(spec_, observation_size_, n);
  const auto bytes = [&](std::size_t offset, std::size_t size) {
    return std::span(reinterpret_cast<std::uint8_t*>(memory_ + offset), size);
  };
  return {bytes(layout.observations, n * observation_size_),
          {reinterpret_cast<double*>(memory_), n},
          bytes(layout.ends, n),
          bytes(layout.ends + n, n)};
}

std::span<const std::uint8_t> SlotProcess::solved() {
  const auto n = static_cast<std::size_t>(num_slots_);
  const Layout layout(spec_, observation_size_, n);
  return {reinterpret_cast<const std::uint8_t*>(memory_ + layout.ends + 2 * n), n};
}

}  // namespace plr::remote
