#include "plr/report/live_page.h"

#include <fmt/format.h>

#include <array>
#include <random>
#include <system_error>
#include <utility>

#include "plr/report/escaping.h"
#include "plr/run/layout.h"

namespace plr::report {
namespace {

namespace fs = std::filesystem;
namespace layout = run::layout;

constexpr std::array kFiles = {layout::kConfig, layout::kLog,        layout::kEvaluations,
                               layout::kLevels, layout::kLevelTable, layout::kCvar};

// Distinguishes the versions of this process from those of an earlier server on the same port.
std::string process_mark() {
  std::random_device device;
  return fmt::format("{:08x}", device());
}

std::string waiting_page(const PageOptions& options, const std::vector<std::string>& problems) {
  std::string list;
  for (const std::string& problem : problems) list += "<li>" + html_escaped(problem) + "</li>";
  return fmt::format(
      "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>{0}</title>"
      "<meta name=\"color-scheme\" content=\"light dark\">"
      "<meta http-equiv=\"refresh\" content=\"{1}\"><link rel=\"icon\" href=\"data:,\">"
      "<body style=\"font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; "
      "padding: 1rem\"><h1>{0}</h1><p>Waiting for the first record of a run.</p><ul>{2}</ul>",
      html_escaped(options.title), options.refresh_seconds, list);
}

}  // namespace

LivePage::LivePage(std::vector<fs::path> folders, LiveOptions options)
    : folders_(std::move(folders)), options_(std::move(options)) {}

std::string LivePage::fingerprint() const {
  std::string text;
  std::vector<std::string> problems;
  for (const fs::path& folder : run_folders(folders_, problems)) {
    text += folder.string() + "\n";
    for (const auto& name : kFiles) {
      std::error_code error;  // a missing file is left out
      const std::uintmax_t size = fs::file_size(folder / name, error);
      if (error) continue;
      const auto time = fs::last_write_time(folder / name, error).time_since_epoch().count();
      text += fmt::format("{} {} {}\n", name, size, time);
    }
  }
  return text;
}

std::string LivePage::make_html() const {
  const FoundRuns found = find_runs(folders_);
  if (found.runs.empty()) return waiting_page(options_.page, found.problems);
  return html_page(found, analyze(found.runs, options_.baseline), options_.page);
}

const LivePage::Version& LivePage::newest() {
  const Clock::time_point start = Clock::now();
  if (start < earliest_) return version_;
  std::string now = fingerprint();
  if (!version_.html.empty() && now == made_from_) return version_;
  static const std::string mark = process_mark();
  version_.html = make_html();
  version_.etag = fmt::format("\"{}-{}\"", mark, ++num_versions_);
  made_from_ = std::move(now);
  const Clock::time_point end = Clock::now();
  const auto pause = (end - start) * (1 / options_.max_share - 1);
  earliest_ = end + std::chrono::duration_cast<Clock::duration>(pause);
  return version_;
}

}  // namespace plr::report
