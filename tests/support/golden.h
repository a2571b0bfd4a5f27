// Reads recorded reference numbers.
//
//   for (const auto& record : golden_lines("sampler/sampler_paper_buffer.jsonl.gz")) ...
//
// Files are in the directory of the environment variable PLR_GOLDEN, by default tests/golden. Tests
// that read them have `Golden` in their name. Missing or damaged files throw std::runtime_error.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace plr::testing {

// The path of a file such as "gae/gae_cases.jsonl.gz" in the golden directory.
std::filesystem::path golden_path(const std::string& name);

// The objects of a gzipped file of JSON lines.
std::vector<nlohmann::json> golden_lines(const std::string& name);

}  // namespace plr::testing
