#include "plr/report/paper_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "plr/base/files.h"
#include "plr/catalog/short_name.h"
#include "plr/report/behavior_versions.h"
#include "plr/report/csv_table.h"
#include "plr/report/families.h"
#include "plr/report/number_format.h"

namespace plr::report {
namespace {

namespace fs = std::filesystem;

constexpr double kMarkedErrors = 2;  // a larger difference is marked
constexpr const char* kBaseline = "uniform";

struct PaperNumber {
  std::string table;
  std::string env;  // or a family
  std::string method;
  Summary value;
};

struct Source {
  std::string table;
  std::string envs;  // an environment or a family
  std::size_t planned = 0;
  std::vector<fs::path> results;
};

using Key = std::pair<std::string, std::string>;       // environment, method
using Runs = std::map<Key, std::map<double, double>>;  // test return by seed

// A number of the paper beside ours.
struct Comparison {
  PaperNumber paper;
  Summary ours;          // without runs if it is missing
  std::size_t made = 0;  // runs
  std::size_t planned = 0;
  std::string missing;  // why, in addition
  bool is_missing() const { return ours.count == 0; }
  std::optional<double> errors() const { return difference_in_errors(ours, paper.value); }
  bool is_marked() const { return errors() && std::abs(*errors()) > kMarkedErrors; }
};

bool is_family(const std::string& env) { return env.find('/') == std::string::npos; }
std::string family_name(const std::string& env) { return is_family(env) ? env : family_of(env); }

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

class PaperPage {
 public:
  explicit PaperPage(const fs::path& experiments)
      : numbers_(read_numbers(experiments / "paper" / "returns.csv")),
        sources_(read_sources(experiments)) {
    for (const Source& source : sources_) {
      for (const fs::path& folder : source.results) add_runs(source, folder);
    }
    for (const PaperNumber& number : numbers_) comparisons_.push_back(compare(number));
  }

  std::string text() const {
    std::string text = head() + marked_list();
    const auto block_of = [](const Comparison& c) {
      return std::pair(c.paper.table, family_name(c.paper.env));
    };
    for (std::size_t begin = 0; begin < comparisons_.size();) {
      std::size_t end = begin;
      while (end < comparisons_.size() &&
             block_of(comparisons_[end]) == block_of(comparisons_[begin])) {
        ++end;
      }
      text += block({comparisons_.begin() + static_cast<std::ptrdiff_t>(begin),
                     comparisons_.begin() + static_cast<std::ptrdiff_t>(end)});
      begin = end;
    }
    return text;
  }

 private:
  void add_runs(const Source& source, const fs::path& folder) {
    const fs::path file = folder / "runs.csv";
    if (!fs::exists(file)) return;
    const CsvTable csv(read_text(file), file.string());
    for (std::size_t i = 0; i < csv.num_rows(); ++i) {
      const std::string& env = csv.text(i, "env");
      const bool is_of_source = env == source.envs || family_of(env) == source.envs;
      if (!is_of_source || csv.text(i, "finished") != "1") continue;
      const std::string& method = csv.text(i, "method");
      const bool is_in_paper = std::any_of(numbers_.begin(), numbers_.end(), [&](const auto& n) {
        return n.table == source.table && n.env == env && n.method == method;
      });
      if (!is_in_paper) continue;
      const double seed = csv.number(i, "seed");
      const auto [entry, is_new] =
          runs_[source.table][{env, method}].try_emplace(seed, csv.number(i, "test_return"));
      if (!is_new) {
        throw std::runtime_error(
            fmt::format("{}: {}, {}, seed {} is also in another folder of table {}; remove one of "
                        "them from paper/sources.csv",
                        file.string(), env, method, seed, source.table));
      }
      std::istringstream versions(csv.text(i, "behavior_version"));
      for (std::int64_t version = 0; versions >> version;) ++versions_[env][version];
    }
  }

  std::vector<double> values(const std::string& table, const std::string& env,
                             const std::string& method) const {
    std::vector<double> list;
    const auto of_table = runs_.find(table);
    if (of_table == runs_.end()) return list;
    const auto found = of_table->second.find({env, method});
    if (found == of_table->second.end()) return list;
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

  Comparison compare(const PaperNumber& number) const {
    Comparison result{.paper = number, .ours = {}, .missing = {}};
    if (!is_family(number.env)) {
      result.ours = summarize(values(number.table, number.env, number.method));
      result.made = result.ours.count;
      result.planned = planned(number.table, number.env);
      return result;
    }
    // Relative returns of the family's environments in this table.
    Matrix method;
    Matrix baseline;
    std::size_t num_envs = 0;
    for (const PaperNumber& other : numbers_) {
      const bool is_member = other.table == number.table && other.method == number.method &&
                             !is_family(other.env) && family_of(other.env) == number.env;
      if (!is_member) continue;
      ++num_envs;
      const std::vector<double> ours = values(number.table, other.env, number.method);
      const std::vector<double> base = values(number.table, other.env, kBaseline);
      result.made += ours.size();
      result.planned += planned(number.table, other.env);
      if (ours.empty() || base.empty()) continue;
      method.push_back(ours);
      baseline.push_back(base);
    }
    if (num_envs > 0 && method.size() == num_envs) {
      constexpr double kPercent = 100;
      result.ours = scaled(relative_returns(method, baseline), kPercent);
    } else {
      result.missing = fmt::format(" ({} of {} environments)", method.size(), num_envs);
    }
    return result;
  }

  std::string head() const {
    std::size_t complete = 0;
    std::size_t partial = 0;
    std::size_t marked = 0;
    for (const Comparison& c : comparisons_) {
      if (c.is_missing()) continue;
      ++(c.made >= c.planned ? complete : partial);
      marked += c.is_marked() ? 1 : 0;
    }
    const std::size_t ours = complete + partial;
    std::string text = fmt::format(
        "# The paper's tables and ours\n\n"
        "Generated by `plr report --paper experiments --out docs/paper_versus_ours.md` from\n"
        "`experiments/paper` and the committed results; not edited by hand.\n\n"
        "**Missing here: {} of the paper's {} numbers.** From fewer runs than planned: {}. From "
        "all "
        "planned\nruns: {}. Of these {}, more than two standard errors from the paper (bold): "
        "{}.\n\n",
        comparisons_.size() - ours, comparisons_.size(), partial, complete, ours, marked);
    text +=
        "In each cell: the paper's mean and standard deviation over its runs; ours, of finished "
        "runs; the\ndifference, ours minus the paper's, in standard errors of the difference of "
        "the "
        "two means (the\ndeviation of a single run is taken from the paper); and how many of the "
        "planned runs have been\nmade. The paper's numbers are rounded, which matters where its "
        "deviation is 0.01. \"Relative to\nuniform\" is the mean over environments of each run's "
        "return divided by the mean of uniform\nsampling. Table 3, the hyper-parameters, is "
        "checked "
        "by tests (`src/plr/train/config_test.cc`).\n\n";
    const std::string mixed = mixed_versions_warning(versions_);
    if (!mixed.empty()) text += "Warning: " + mixed + ".\n\n";
    return text;
  }

  std::string marked_list() const {
    std::string text;
    for (const Comparison& c : comparisons_) {
      if (!c.is_marked()) continue;
      const int decimals = decimals_of(c.paper.env, c.paper.table);
      text += fmt::format("- {}, {}: {} against {} in the paper, {} standard errors, {}\n",
                          row_name(c.paper.env, true), c.paper.method, number(c.ours, decimals),
                          number(c.paper.value, decimals), errors_text(*c.errors()), coverage(c));
    }
    return text.empty() ? "" : "Differences of more than two standard errors:\n\n" + text + "\n";
  }

  // The table of one family in one table of the paper.
  std::string block(const std::vector<Comparison>& cells) const {
    std::vector<std::string> methods;
    std::vector<std::string> envs;
    for (const Comparison& c : cells) {
      const auto add = [](std::vector<std::string>& list, const std::string& name) {
        if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
      };
      add(methods, c.paper.method);
      add(envs, c.paper.env);
    }
    const PaperNumber& first = cells.front().paper;
    std::string text = fmt::format("## Table {}, {}\n\n| |", first.table, family_name(first.env));
    for (const std::string& method : methods) text += " " + method + " |";
    text += "\n|---|";
    for (std::size_t i = 0; i < methods.size(); ++i) text += "---|";
    text += "\n";
    for (const std::string& env : envs) {
      text += "| " + row_name(env, false) + " |";
      for (const std::string& method : methods) {
        const auto found = std::find_if(cells.begin(), cells.end(), [&](const Comparison& c) {
          return c.paper.env == env && c.paper.method == method;
        });
        text += " " + (found == cells.end() ? "-" : cell(*found)) + " |";
      }
      text += "\n";
    }
    return text + "\n";
  }

  std::string cell(const Comparison& c) const {
    const int decimals = decimals_of(c.paper.env, c.paper.table);
    std::string text = number(c.paper.value, decimals) + "<br>";
    if (c.is_missing()) return text + "missing" + c.missing + "<br>" + coverage(c);
    text += number(c.ours, decimals) + "<br>";
    const std::string errors = c.errors() ? errors_text(*c.errors()) + " SE" : "";
    text += c.is_marked() ? "**" + errors + "**" : errors;
    return text + (errors.empty() ? "" : ", ") + coverage(c);
  }

  static std::string errors_text(double errors) {
    const std::string text = decimal(errors, 1);  // without a sign if it is 0.0
    return std::stod(text) > 0 ? "+" + text : text;
  }

  static std::string coverage(const Comparison& c) {
    return fmt::format("{} of {} runs", c.made, c.planned);
  }

  static std::string row_name(const std::string& env, bool with_family) {
    if (!is_family(env)) return catalog::short_env_name(env);
    return (with_family ? env + ", " : std::string()) + "relative to uniform (%)";
  }

  static std::string number(const Summary& value, int decimals) {
    if (value.count == 1) return decimal(value.mean, decimals);
    return decimal(value.mean, decimals) + " ± " + decimal(value.deviation, decimals);
  }

  // As in the paper: two decimals if all returns of an environment are below 2, else one.
  int decimals_of(const std::string& env, const std::string& table) const {
    double largest = 0;
    for (const PaperNumber& n : numbers_) {
      if (n.env == env && n.table == table) largest = std::max(largest, n.value.mean);
    }
    constexpr double kTwoDecimalsBelow = 2;
    return largest < kTwoDecimalsBelow ? 2 : 1;
  }

  std::vector<PaperNumber> numbers_;
  std::vector<Source> sources_;
  std::map<std::string, Runs> runs_;  // by table
  VersionCounts versions_;
  std::vector<Comparison> comparisons_;  // in the order of numbers_
};

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

std::string paper_page(const fs::path& experiments) { return PaperPage(experiments).text(); }

}  // namespace plr::report
