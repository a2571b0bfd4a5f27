#include "plr/base/closest_name.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>
#include <vector>

namespace plr {
namespace {

// Edit distance (Levenshtein) of `part` and `whole` or, with free ends (Sellers), of `part` and the
// closest substring of `whole`.
std::size_t edit_distance(std::string_view part, std::string_view whole, bool free_ends) {
  std::vector<std::size_t> row(whole.size() + 1);
  if (!free_ends) std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= part.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= whole.size(); ++j) {
      const std::size_t change = diagonal + (part[i - 1] == whole[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({change, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return free_ends ? *std::min_element(row.begin(), row.end()) : row.back();
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string closest_name(std::string_view name, std::span<const std::string> known) {
  assert(!known.empty());
  const std::string wanted = lower_case(name);
  const auto distance = [&](const std::string& candidate) {
    const std::string text = lower_case(candidate);
    return std::pair(edit_distance(wanted, text, true), edit_distance(wanted, text, false));
  };
  std::size_t best = 0;
  for (std::size_t i = 1; i < known.size(); ++i) {
    if (distance(known[i]) < distance(known[best])) best = i;
  }
  return known[best];
}

}  // namespace plr
