#include "plr/train/rank_agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string_view>

#include "plr/base/bytes.h"
#include "plr/learn/compute.h"
#include "plr/run/behavior_version.h"
#include "plr/train/run_settings.h"

namespace plr::train {
namespace {

using distributed::World;

// Limit of a message's length; states and tensors of checkpoints are far below.
constexpr std::size_t kMaxMessage = std::size_t{1} << 34;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}
std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Throws on all ranks if a fact of one differs from that of rank 0.
void expect_equal(World& world, const std::string& what, const std::string& fact) {
  const auto facts = world.gather(bytes_of(fact));
  for (std::size_t rank = 1; rank < facts.size(); ++rank) {
    if (facts[rank] == facts[0]) continue;
    const std::string message =
        fmt::format("all ranks must have the same {}, but rank 0 has {} and rank {} has {}", what,
                    text_of(facts[0]), rank, text_of(facts[rank]));
    if (world.is_first()) throw std::invalid_argument(message);
    throw ReportedByFirst(message);
  }
}

void expect_same_run(World& world, const TrainConfig& config) {
  if (world.size() == 1) return;
  expect_equal(world, "version", fmt::format("{}", PLR_VERSION));
  expect_equal(world, "behavior version", fmt::format("{}", run::kBehaviorVersion));
  expect_equal(world, "kind of device",
               std::string(config.compute.device.starts_with("cuda") ? "cuda" : "cpu"));
  std::string settings;
  for (const auto& [name, value] : settings_to_save(config))
    settings += name + " = " + value + "\n";
  // Names and values one by one only if they differ, so that the message is short.
  const auto all = world.gather(bytes_of(settings));
  if (std::ranges::all_of(all, [&](const auto& other) { return other == all[0]; })) return;
  for (const auto& [name, value] : settings_to_save(config)) expect_equal(world, name, value);
}

}  // namespace

TrainConfig resolve(TrainConfig config, World& world) {
  if (config.schedule.shards == 0) config.schedule.shards = world.size();
  check(config);
  const std::int64_t shards = config.schedule.shards;
  if (shards % world.size() != 0) {
    throw std::invalid_argument(
        fmt::format("shards must be a multiple of the {} ranks, not {}; start the run with as many "
                    "ranks as divide its shards",
                    world.size(), shards));
  }
  // The bits of a run depend on the threads of libtorch, and ranks share the machine.
  if (shards > 1 && config.compute.num_threads == 0) config.compute.num_threads = 1;
  config.compute = learn::resolve_auto(config.compute);
  expect_same_run(world, config);
  return config;
}

std::string from_first(World& world, const std::function<std::string()>& f) {
  if (world.size() == 1) return f();
  std::exception_ptr error;
  std::string text = "+";
  if (world.is_first()) {
    try {
      text += f();
    } catch (const std::exception& problem) {
      error = std::current_exception();
      text = fmt::format("-{}", problem.what());
    }
  }
  text = text_of(world.broadcast(bytes_of(text)));
  if (error) std::rethrow_exception(error);
  if (text.front() == '-') throw ReportedByFirst(text.substr(1));
  return text.substr(1);
}

run::Checkpoint share_checkpoint(World& world, const std::function<run::Checkpoint()>& load) {
  if (world.size() == 1) return load();
  run::Checkpoint checkpoint;
  const std::string message = from_first(world, [&] {
    checkpoint = load();
    ByteWriter writer;
    writer.number(checkpoint.update);
    writer.text(checkpoint.facts.dump());
    writer.number<std::uint64_t>(checkpoint.states.size());
    for (const auto& [name, state] : checkpoint.states) {
      writer.text(name);
      writer.numbers<std::byte>(state);
    }
    writer.numbers<std::byte>(checkpoint.tensors);
    return text_of(writer.seal("checkpoint", 1));
  });
  if (world.is_first()) return checkpoint;
  ByteReader reader(bytes_of(message), "checkpoint", 1);
  checkpoint.update = reader.number<std::int64_t>();
  checkpoint.facts = nlohmann::json::parse(reader.text(kMaxMessage));
  const auto num_states = reader.number<std::uint64_t>();
  for (std::uint64_t i = 0; i < num_states; ++i) {
    const std::string name = reader.text();
    checkpoint.states[name] = reader.numbers<std::byte>(kMaxMessage);
  }
  checkpoint.tensors = reader.numbers<std::byte>(kMaxMessage);
  reader.expect_end();
  return checkpoint;
}

}  // namespace plr::train
