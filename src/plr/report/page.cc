#include "plr/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "plr/base/counted.h"
#include "plr/report/behavior_versions.h"
#include "plr/report/csv_files.h"
#include "plr/report/escaping.h"
#include "plr/report/evaluation_tables.h"
#include "plr/report/labels.h"
#include "plr/report/level_pictures.h"
#include "plr/report/number_format.h"
#include "plr/report/page_data.h"
#include "plr/report/page_parts.h"
#include "plr/report/settings_table.h"
#include "plr/report/table_formats.h"

namespace plr::report {
namespace {

constexpr std::size_t kTimesOfEach = 5;     // records of a run with pictures of levels
constexpr std::size_t kPicturesAtTime = 4;  // of each of these
constexpr std::size_t kMaxPictured = 8;     // runs with pictures of levels
constexpr std::size_t kPicturesOfEach = 6;  // of the most and of the least probable levels

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto byte = i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U;
      three = three << 8 | byte;
    }
    for (std::size_t k = 0; k < 4; ++k) {
      const bool is_padding = i + k > bytes.size();
      text += is_padding ? '=' : kDigits[three >> (18 - 6 * k) & 63];
    }
  }
  return text;
}

// Replaces each {{name}} of the template by its value; values are not searched for names.
std::string fill_template(std::string_view form, const std::map<std::string, std::string>& values) {
  std::string text;
  while (true) {
    const std::size_t begin = form.find("{{");
    const std::size_t end = form.find("}}", begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) break;
    text += form.substr(0, begin);
    text += values.at(std::string(form.substr(begin + 2, end - begin - 2)));
    form.remove_prefix(end + 2);
  }
  return text.append(form);
}

std::string list_html(const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string html = "<ul class=\"remarks\">\n";
  for (const std::string& line : lines) html += "<li>" + html_escaped(line) + "</li>\n";
  return html + "</ul>\n";
}

// Problems that a reader must know to judge the numbers: runs that are missing, damaged, unfinished
// or of different behavior versions.
std::string remarks_html(const FoundRuns& found) {
  std::vector<std::string> lines;
  const std::string mixed = mixed_versions_warning(found.runs);
  if (!mixed.empty()) lines.push_back(mixed);
  for (const std::string& problem : found.problems) lines.push_back("left out: " + problem);
  for (const RunData& run : found.runs) {
    const std::string name = run.folder.string() + ": ";
    if (!run.is_finished) {
      lines.push_back(fmt::format("{}not finished, {:.0f} of {:.0f} steps", name, run.steps_done(),
                                  run.steps_planned()));
    }
    for (const std::string& remark : run.remarks) lines.push_back(name + remark);
  }
  return list_html(lines);
}

std::string pictures_html(const std::vector<LevelPicture>& pictures, const std::string& title) {
  std::string html = fmt::format("<h3>{}</h3><div class=\"pictures\">", html_escaped(title));
  for (const LevelPicture& picture : pictures) {
    html += fmt::format(
        "<figure><img alt=\"{0}\" src=\"data:image/png;base64,{1}\"><figcaption>{0}</figcaption>"
        "</figure>\n",
        html_escaped(picture.caption), base64(picture.png));
  }
  return html + "</div>\n";
}

// To three digits, as in 1.31M.
double rounded_steps(std::int64_t steps) {
  const double unit =
      std::pow(10, std::max(0.0, std::floor(std::log10(std::max(1.0, 1.0 * steps))) - 2));
  return unit * std::round(static_cast<double>(steps) / unit);
}

std::string all_pictures_html(const FoundRuns& found, const Analysis& analysis) {
  std::string html;
  const std::vector<std::size_t> detailed = detailed_runs(analysis);
  std::size_t num_pictured = 0;
  for (std::size_t i = 0; i < detailed.size() && num_pictured < kMaxPictured; ++i) {
    const LevelPictures pictures = level_pictures(found.runs[detailed[i]], kPicturesOfEach);
    if (pictures.most.empty()) continue;
    ++num_pictured;
    html += fmt::format("<div class=\"run-pictures\" data-run=\"{}\">\n", i);
    html += pictures_html(pictures.most, "Levels most likely to be replayed");
    html += pictures_html(pictures.least, "Levels least likely to be replayed");
    for (const LevelsAtTime& time :
         level_history(found.runs[detailed[i]], kTimesOfEach, kPicturesAtTime)) {
      html += pictures_html(time.pictures, fmt::format("Most likely after {} steps",
                                                       short_number(rounded_steps(time.steps))));
    }
    html += "</div>\n";
  }
  return html;
}

std::string link_to_csv(const std::string& name, const std::string& csv) {
  return fmt::format("<a download=\"{0}\" href=\"data:text/csv;base64,{1}\">{0}</a> ",
                     html_escaped(name), base64(csv));
}

std::string runs_html(std::span<const RunData> runs, const Analysis& analysis) {
  std::string html =
      "<details><summary>All runs</summary><div class=\"table\"><table><thead><tr><th>run</th>"
      "<th>method</th><th>seed</th><th>behavior version</th><th>steps</th><th>steps/s</th><th>test "
      "return</th></tr></thead>"
      "<tbody>\n";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunData& run = runs[i];
    const double speed = run.updates.empty() ? NAN : run.updates.back().steps_per_second;
    const double last = run.evaluations.empty() ? NAN : run.evaluations.back().test_return;
    html += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{:.0f}</td><td>{}</td>"
        "<td>{}</td></tr>\n",
        html_escaped(run.folder.string()), html_escaped(analysis.run_labels[i]),
        html_escaped(run.setting("seed")), behavior_versions_text(run), run.steps_done(),
        decimal(speed, 0), decimal(last, 3));
  }
  return html + "</tbody></table></div></details>\n";
}

// Escapes every "<", which in JSON occurs in strings only: neither "</script>" nor "<!--<script>"
// in the name of a folder changes where the script element ends.
std::string script_json(const nlohmann::ordered_json& data) {
  const std::string json =
      data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string safe;
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

// "6 runs, 5 finished; 1 environment, 2 methods."
std::string run_counts(const FoundRuns& found, const Analysis& analysis) {
  const auto finished = std::count_if(found.runs.begin(), found.runs.end(),
                                      [](const RunData& run) { return run.is_finished; });
  return fmt::format("{}, {} finished; {}, {}.", counted(found.runs.size(), "run"), finished,
                     counted(analysis.envs.size(), "environment"),
                     counted(analysis.labels.size(), "method"));
}

std::string live_html(const PageOptions& options) {
  if (options.refresh_seconds == 0) return "";
  return fmt::format("<meta name=\"plr-live\" content=\"{}\">", options.refresh_seconds);
}

}  // namespace

std::string html_page(const FoundRuns& found, const Analysis& analysis,
                      const PageOptions& options) {
  std::string tables;
  std::string downloads = link_to_csv("curves.csv", curves_csv(analysis)) +
                          link_to_csv("runs.csv", runs_csv(found.runs, analysis));
  const auto add_table = [&](const Table& table) {
    // The page draws the probabilities of improvement.
    if (table.id != "improvement") {
      tables += "<div class=\"result\">\n" + to_html(table) + "</div>\n";
    }
    downloads += link_to_csv(table.id + ".csv", to_csv(table));
  };
  for (const Table& table : evaluation_tables(found.runs, analysis)) add_table(table);
  for (const Table& table : report_tables(analysis, options.compare)) add_table(table);
  return fill_template(kPageHtml,
                       {{"title", html_escaped(options.title)},
                        {"version", html_escaped(options.version)},
                        {"summary", html_escaped(run_counts(found, analysis))},
                        {"remarks", remarks_html(found)},
                        {"tables", tables},
                        {"pictures", all_pictures_html(found, analysis)},
                        {"settings", settings_html(found.runs, analysis)},
                        {"runs", runs_html(found.runs, analysis)},
                        {"downloads", downloads},
                        {"live", live_html(options)},
                        {"data", script_json(page_data(found.runs, analysis, options.compare))},
                        {"css", std::string(kPageCss)},
                        {"js", fmt::format("{}{}{}", kPageChartsJs, kPageSectionsJs, kPageJs)},
                        {"chart-css", std::string(kChartCss)},
                        {"chart-js", std::string(kChartJs)}});
}

}  // namespace plr::report
