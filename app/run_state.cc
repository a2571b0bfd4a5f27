#include "app/run_state.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "plr/run/checkpoint.h"

namespace plr::app {

RunState saved_state(const std::filesystem::path& folder) {
  RunState state;
  state.has_begun = std::filesystem::exists(folder / "config.toml");
  if (!state.has_begun) return state;
  try {
    const nlohmann::json facts = run::load_checkpoint_facts(folder / "checkpoint");
    state.steps = facts.value("steps", std::int64_t{0});
    state.is_finished = facts.value("is_final", false);
  } catch (const std::runtime_error&) {
    // Resuming will fail too, and say why.
  }
  return state;
}

LoggedState logged_state(const std::filesystem::path& folder) {
  constexpr std::streamoff kTail = 8192;  // longer than any record
  std::ifstream log(folder / "log.jsonl", std::ios::ate);
  if (!log) return {};
  log.seekg(std::max<std::streamoff>(0, log.tellg() - kTail));
  const std::string tail(std::istreambuf_iterator<char>(log), {});
  // The last line that has an end.
  const std::size_t end = tail.rfind('\n');
  if (end == std::string::npos || end == 0) return {};
  const std::size_t before = tail.rfind('\n', end - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  const auto record = nlohmann::json::parse(tail.substr(begin, end - begin), nullptr, false);
  if (!record.is_object()) return {};
  return {record.value("steps", std::int64_t{0}), record.value("steps_per_second", 0.0)};
}

}  // namespace plr::app
