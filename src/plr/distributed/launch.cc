#include "plr/distributed/launch.h"

#include <bit>
#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace plr::distributed {
namespace {

struct Variable {
  const char* name;
  std::string_view value;
};

// The first of these variables that is set.
std::optional<Variable> find(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return Variable{name, value};
  }
  return std::nullopt;
}

[[noreturn]] void refuse(const Variable& variable, const std::string& expected) {
  throw std::invalid_argument(std::string(variable.name) + " must be " + expected + ", not " +
                              std::string(variable.value));
}

std::optional<int> parse(const Variable& variable, int low, int high) {
  int value = 0;
  const char* end = variable.value.data() + variable.value.size();
  const auto [stop, error] = std::from_chars(variable.value.data(), end, value);
  if (error != std::errc() || stop != end || value < low || value > high) return std::nullopt;
  return value;
}

int number(const Variable& variable, int low, int high) {
  if (const auto value = parse(variable, low, high)) return *value;
  refuse(variable, "from " + std::to_string(low) + " to " + std::to_string(high));
}

Variable require(std::initializer_list<const char*> names, const char* remedy) {
  if (const auto variable = find(names)) return *variable;
  throw std::invalid_argument(std::string(*names.begin()) +
                              " is not set although there are several ranks; " + remedy);
}

constexpr int kMost = 1 << 16;
constexpr auto kSizeVariables = {"WORLD_SIZE", "SLURM_STEP_NUM_TASKS"};
constexpr auto kRankVariables = {"RANK", "SLURM_PROCID"};

}  // namespace

Launch launch_from_environment() {
  constexpr const char* kUseLauncher = "start the program with torchrun or srun";
  constexpr const char* kSetAddress =
      "in a Slurm script, export MASTER_ADDR and MASTER_PORT before srun (docs/distributed.md)";
  Launch launch;
  const auto size = find(kSizeVariables);
  const auto attempt = find({"TORCHELASTIC_RESTART_COUNT", "SLURM_RESTART_COUNT"});
  if (attempt) launch.attempt = number(*attempt, 0, kMost);
  if (size) launch.size = number(*size, 1, kMost);
  if (launch.size == 1) return launch;
  if (!std::has_single_bit(static_cast<unsigned>(launch.size))) refuse(*size, "a power of two");
  launch.rank = number(require(kRankVariables, kUseLauncher), 0, launch.size - 1);
  launch.local_rank =
      number(require({"LOCAL_RANK", "SLURM_LOCALID"}, kUseLauncher), 0, launch.size - 1);
  if (const auto local_size = find({"LOCAL_WORLD_SIZE"})) {
    launch.local_size = number(*local_size, 1, launch.size);
  }
  launch.address = require({"MASTER_ADDR"}, kSetAddress).value;
  launch.port = static_cast<std::uint16_t>(number(require({"MASTER_PORT"}, kSetAddress), 1, 65535));
  const auto agent = find({"TORCHELASTIC_USE_AGENT_STORE"});
  launch.has_agent = agent && agent->value == "True";
  return launch;
}

int rank_from_environment() {
  const auto size = find(kSizeVariables);
  const auto rank = find(kRankVariables);
  if (!size || size->value == "1" || !rank) return 0;
  return parse(*rank, 0, kMost).value_or(0);
}

}  // namespace plr::distributed
