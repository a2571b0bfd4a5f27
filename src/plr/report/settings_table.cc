#include "plr/report/settings_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "plr/report/escaping.h"
#include "plr/report/labels.h"

namespace plr::report {
namespace {

constexpr std::size_t kMaxListedValues = 3;  // of a setting
constexpr const char* kUnset = "–";          // of a run of another version, or an empty text

// The values of a setting in the runs of a method, "0.1, 0.3, 4 more".
std::string values_text(std::span<const RunData> runs, const Analysis& analysis, std::size_t method,
                        const std::string& name) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (analysis.run_labels[i] != analysis.labels[method]) continue;
    const std::string& value = runs[i].setting(name);
    const std::string shown = value.empty() ? kUnset : value;
    if (std::find(values.begin(), values.end(), shown) == values.end()) values.push_back(shown);
  }
  if (values.size() > kMaxListedValues) {
    const std::size_t num_kept = kMaxListedValues - 1;
    const std::string rest = fmt::format("{} more", values.size() - num_kept);
    values.resize(num_kept);
    values.push_back(rest);
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

}  // namespace

std::string settings_html(std::span<const RunData> runs, const Analysis& analysis) {
  std::vector<std::string> differing = differing_settings(runs);
  std::erase(differing, "env");
  std::set<std::string> names;
  for (const RunData& run : runs) {
    for (const auto& [name, value] : run.settings) names.insert(name);
  }
  names.erase("seed");
  if (analysis.envs.size() > 1) names.erase("env");
  std::vector<std::string> ordered = differing;
  for (const std::string& name : names) {
    if (std::find(differing.begin(), differing.end(), name) == differing.end()) {
      ordered.push_back(name);
    }
  }
  std::string html =
      "<div class=\"table\"><table id=\"table-settings\">\n<thead><tr><th>setting</th>";
  for (const std::string& label : analysis.labels) {
    html += "<th scope=\"col\">" + html_escaped(label) + "</th>";
  }
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    html += fmt::format("<tr class=\"{}\"><th scope=\"row\">{}</th>",
                        i < differing.size() ? "differs" : "same", html_escaped(ordered[i]));
    for (std::size_t m = 0; m < analysis.labels.size(); ++m) {
      html += "<td>" + html_escaped(values_text(runs, analysis, m, ordered[i])) + "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

}  // namespace plr::report
