// The page of runs that are being trained, made again when their files have changed.
//
//   LivePage page({"runs"}, {.title = "runs", .refresh_seconds = 2});
//   const LivePage::Version& v = page.newest();     // v.html, v.etag
//
// While no run has a record, the page says so. Not copyable. Not thread-safe.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "plr/report/page.h"

namespace plr::report {

struct LiveOptions {
  PageOptions page;
  std::string baseline = {};  // as in analyze()
  // The part of the time that is spent on making pages at most: a page that took a second is made
  // again after 1 / max_share seconds at the earliest. In (0, 1].
  double max_share = 0.2;
};

class LivePage {
 public:
  struct Version {
    std::string html;
    std::string etag;  // differs between different pages; quoted, as HTTP wants it
  };

  LivePage(std::vector<std::filesystem::path> folders, LiveOptions options);
  LivePage(const LivePage&) = delete;
  LivePage& operator=(const LivePage&) = delete;

  // Throws std::invalid_argument if no run has the baseline or a compared method. Valid until the
  // next call.
  const Version& newest();

 private:
  using Clock = std::chrono::steady_clock;

  // Names, sizes and times of the files of all runs.
  std::string fingerprint() const;
  std::string make_html() const;

  std::vector<std::filesystem::path> folders_;
  LiveOptions options_;
  std::string made_from_;  // the fingerprint of `version_`
  Version version_;
  std::size_t num_versions_ = 0;
  Clock::time_point earliest_ = {};  // when the page may be made again
};

}  // namespace plr::report
