#include "plr/report/paper_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "plr/base/counted.h"
#include "plr/base/files.h"
#include "plr/catalog/short_name.h"
#include "plr/report/csv_table.h"
#include "plr/report/families.h"
#include "plr/report/number_format.h"

namespace plr::report {
namespace {

namespace fs = std::filesystem;

constexpr double kMarkedErrors = 2;
constexpr const char* kBaseline = "uniform";

struct Source {
  std::string table;
  std::string envs;  // an environment or a family
  std::size_t planned = 0;
  std::vector<fs::path> results;
};

using Key = std::tuple<std::string, std::string, std::string>;  // table, environment, method
using Runs = std::map<Key, std::map<double, double>>;           // test return by seed

bool is_family(const std::string& env) { return env.find('/') == std::string::npos; }

std::vector<PaperNumber> read_numbers(const fs::path& file) {
  const CsvTable csv(read_text(file), file.string());
  std::vector<PaperNumber> numbers;
  for (std::size_t i = 0; i < csv.num_rows(); ++i) {
    numbers.push_back({csv.text(i, "table"),
                       csv.text(i, "env"),
                       csv.text(i, "method"),
                       {.count = static_cast<std::size_t>(csv.number(i, "runs")),
                        .mean = csv.number(i, "mean"),
                        .deviation = csv.number(i, "deviation")}});
  }
  return numbers;
}

std::vector<Source> read_sources(const fs::path& experiments) {
  const fs::path file = experiments / "paper" / "sources.csv";
  const CsvTable csv(read_text(file), file.string());
  std::vector<Source> sources;
  for (std::size_t i = 0; i < csv.num_rows(); ++i) {
    Source& source = sources.emplace_back(Source{csv.text(i, "table"),
                                                 csv.text(i, "envs"),
                                                 static_cast<std::size_t>(csv.number(i, "planned")),
                                                 {}});
    std::istringstream folders(csv.text(i, "results"));
    for (std::string folder; folders >> folder;) source.results.push_back(experiments / folder);
  }
  return sources;
}

class Reader {
 public:
  explicit Reader(const fs::path& experiments)
      : numbers_(read_numbers(experiments / "paper" / "returns.csv")),
        sources_(read_sources(experiments)) {
    for (const PaperNumber& n : numbers_) known_.emplace(n.table, n.env, n.method);
    for (const Source& source : sources_) {
      for (const fs::path& folder : source.results) add_runs(source, folder);
    }
  }

  PaperComparison comparison() const {
    PaperComparison result{.numbers = {}, .versions = versions_, .left_out = left_out_};
    for (const PaperNumber& number : numbers_) {
      ComparedNumber& c = result.numbers.emplace_back(is_family(number.env) ? compare_family(number)
                                                                            : compare(number));
      c.decimals = decimals_of(number);
    }
    return result;
  }

 private:
  void add_runs(const Source& source, const fs::path& folder) {
    const fs::path file = folder / "runs.csv";
    if (!fs::exists(file)) return;
    const CsvTable csv(read_text(file), file.string());
    std::map<std::string, std::size_t> unknown;  // runs by method
    for (std::size_t i = 0; i < csv.num_rows(); ++i) {
      const std::string& env = csv.text(i, "env");
      const bool is_of_source = env == source.envs || family_of(env) == source.envs;
      if (!is_of_source || csv.text(i, "finished") != "1") continue;
      const std::string& method = csv.text(i, "method");
      const Key key(source.table, env, method);
      if (!known_.contains(key)) {
        ++unknown[method];
        continue;
      }
      const double seed = csv.number(i, "seed");
      const auto [entry, is_new] = runs_[key].try_emplace(seed, csv.number(i, "test_return"));
      if (!is_new) {
        throw std::runtime_error(
            fmt::format("{}: {}, {}, seed {} is also in another folder of table {}; remove one of "
                        "them from paper/sources.csv",
                        file.string(), env, method, seed, source.table));
      }
      std::istringstream versions(csv.text(i, "behavior_version"));
      for (std::int64_t version = 0; versions >> version;) ++versions_[env][version];
    }
    for (const auto& [method, count] : unknown) {
      left_out_.push_back(fmt::format("{} of '{}' in {}: table {} of the paper has no such method",
                                      counted(count, "finished run"), method, file.string(),
                                      source.table));
    }
  }

  std::vector<double> values(const Key& key) const {
    std::vector<double> list;
    const auto found = runs_.find(key);
    if (found == runs_.end()) return list;
    for (const auto& [seed, value] : found->second) list.push_back(value);
    return list;
  }

  // Runs of each method that are planned in an environment.
  std::size_t planned(const std::string& table, const std::string& env) const {
    for (const Source& source : sources_) {
      const bool is_of_source = env == source.envs || family_of(env) == source.envs;
      if (source.table == table && is_of_source) return source.planned;
    }
    return 0;
  }

  ComparedNumber compare(const PaperNumber& number) const {
    ComparedNumber result{.paper = number, .ours = {}};
    result.ours = summarize(values({number.table, number.env, number.method}));
    result.made = result.ours.count;
    result.planned = planned(number.table, number.env);
    return result;
  }

  // Relative returns of the family's environments in a table.
  ComparedNumber compare_family(const PaperNumber& number) const {
    ComparedNumber result{.paper = number, .ours = {}};
    Matrix method;
    Matrix baseline;
    for (const PaperNumber& other : numbers_) {
      const bool is_member = other.table == number.table && other.method == number.method &&
                             !is_family(other.env) && family_of(other.env) == number.env;
      if (!is_member) continue;
      ++result.num_envs;
      const std::vector<double> ours = values({number.table, other.env, number.method});
      const std::vector<double> base = values({number.table, other.env, kBaseline});
      result.made += ours.size();
      result.planned += planned(number.table, other.env);
      if (ours.empty() || base.empty()) continue;
      method.push_back(ours);
      baseline.push_back(base);
    }
    result.made_envs = method.size();
    if (result.num_envs > 0 && result.made_envs == result.num_envs) {
      constexpr double kPercent = 100;
      result.ours = scaled(relative_returns(method, baseline), kPercent);
    }
    return result;
  }

  int decimals_of(const PaperNumber& number) const {
    double largest = 0;
    for (const PaperNumber& n : numbers_) {
      if (n.env == number.env && n.table == number.table) largest = std::max(largest, n.value.mean);
    }
    constexpr double kTwoDecimalsBelow = 2;
    return largest < kTwoDecimalsBelow ? 2 : 1;
  }

  std::vector<PaperNumber> numbers_;
  std::vector<Source> sources_;
  std::set<Key> known_;  // the keys of numbers_
  Runs runs_;
  VersionCounts versions_;
  std::vector<std::string> left_out_;
};

std::string text_of(const Summary& value, int decimals) {
  if (value.count == 1) return decimal(value.mean, decimals);
  return decimal(value.mean, decimals) + " ± " + decimal(value.deviation, decimals);
}

}  // namespace

std::optional<double> difference_in_errors(const Summary& ours, const Summary& paper) {
  if (ours.count == 0 || paper.count == 0) return std::nullopt;
  const double deviation = ours.count > 1 ? ours.deviation : paper.deviation;
  const double error =
      std::sqrt(deviation * deviation / static_cast<double>(ours.count) +
                paper.deviation * paper.deviation / static_cast<double>(paper.count));
  if (error == 0) return std::nullopt;
  return (ours.mean - paper.mean) / error;
}

std::optional<double> ComparedNumber::errors() const {
  return difference_in_errors(ours, paper.value);
}

bool ComparedNumber::is_marked() const {
  const std::optional<double> difference = errors();
  return difference && std::abs(*difference) > kMarkedErrors;
}

bool ComparedNumber::is_of_family() const { return is_family(paper.env); }

std::string ComparedNumber::family() const {
  return is_of_family() ? paper.env : family_of(paper.env);
}

std::string ComparedNumber::name() const {
  return is_of_family() ? "relative to uniform (%)" : catalog::short_env_name(paper.env);
}

std::string ComparedNumber::paper_text() const { return text_of(paper.value, decimals); }
std::string ComparedNumber::our_text() const { return text_of(ours, decimals); }

PaperComparison compare_with_paper(const fs::path& experiments) {
  return Reader(experiments).comparison();
}

}  // namespace plr::report
