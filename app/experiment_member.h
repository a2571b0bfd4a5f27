// What is known of one run of an experiment, and how does it begin or go on?
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/run_state.h"
#include "plr/train/experiment.h"

namespace plr::app {

struct Member {
  const train::PlannedRun* run = nullptr;
  std::filesystem::path folder;
  RunState state;
  std::int64_t steps = 0;  // in all, whole updates

  bool is_finished() const { return state.is_finished && state.steps >= steps; }
  // This program with the arguments that begin the run, or go on with it.
  std::vector<std::string> command() const;
};

// The experiment must outlive them.  Throws std::invalid_argument if a folder holds another run.
std::vector<Member> members_of(const train::Experiment& experiment,
                               const std::filesystem::path& folder);

// Of this program.
std::string own_path();

}  // namespace plr::app
