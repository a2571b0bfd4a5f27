#include "plr/experiment/run_state.h"

#include <cmath>
#include <stdexcept>

#include "plr/run/checkpoint.h"
#include "plr/run/checkpoint_facts.h"
#include "plr/run/layout.h"
#include "plr/run/record_files.h"

namespace plr::experiment {

namespace layout = run::layout;

RunState read_saved_state(const std::filesystem::path& folder) {
  RunState state;
  state.has_started = std::filesystem::exists(folder / layout::kConfig);
  if (!state.has_started) return state;
  try {
    const nlohmann::json facts = run::load_checkpoint_facts(folder / layout::kCheckpoints);
    state.steps = facts.get<run::CheckpointFacts>().steps;
  } catch (const std::exception&) {
    // Resuming the run reports the error.
  }
  const auto update = run::read_last_record<run::LogRecord>(folder / layout::kLog);
  const auto evaluation = run::read_last_record<run::EvalRecord>(folder / layout::kEvaluations);
  state.is_finished = update && evaluation && run::is_finished(*update, *evaluation);
  return state;
}

LoggedState read_logged_state(const std::filesystem::path& folder) {
  const auto record = run::read_last_record<run::LogRecord>(folder / layout::kLog);
  if (!record) return {};
  return {record->steps, std::isnan(record->steps_per_second) ? 0 : record->steps_per_second};
}

}  // namespace plr::experiment
