#include "plr/core/closest_name.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>
#include <vector>

namespace plr {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// Letters to insert, remove or change to make `b` of `a` (Levenshtein).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({change, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

}  // namespace

std::string closest_name(std::string_view name, std::span<const std::string> known) {
  assert(!known.empty());
  const std::string wanted = lower_case(name);
  // Names that contain it come first; among equals the earlier one.
  const auto distance = [&](const std::string& candidate) {
    const std::string text = lower_case(candidate);
    const bool contains = !wanted.empty() && text.find(wanted) != text.npos;
    return std::pair(!contains, edit_distance(wanted, text));
  };
  std::size_t best = 0;
  for (std::size_t i = 1; i < known.size(); ++i) {
    if (distance(known[i]) < distance(known[best])) best = i;
  }
  return known[best];
}

}  // namespace plr
