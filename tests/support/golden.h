// Where do the recorded reference numbers come from?
//
// From the directory named by the environment variable PLR_GOLDEN, by default tests/golden.  Tests
// that read them have `Golden` in their name.
//
//   for (const auto& record : golden_lines("sampler/sampler_paper_buffer.jsonl.gz")) ...
//
// Missing or damaged files throw std::runtime_error: a golden test without numbers is a failure.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace plr::testing {

// The file `name` (as in "gae/gae_cases.jsonl.gz") of the golden directory.
std::filesystem::path golden_path(const std::string& name);

// One parsed object per line of a gzipped file of JSON lines.
std::vector<nlohmann::json> golden_lines(const std::string& name);

}  // namespace plr::testing
