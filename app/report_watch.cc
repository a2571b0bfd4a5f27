#include "app/report_watch.h"

#include <cstdio>
#include <memory>
#include <stdexcept>

#include "plr/http/local_server.h"
#include "plr/terminal/print.h"
#include "plr/terminal/stop_signal.h"

namespace plr::app {
namespace {

constexpr int kFirstPort = 8600;
constexpr int kNumPorts = 20;  // tried without --port
constexpr int kRefreshSeconds = 2;

std::unique_ptr<http::LocalServer> open_server(std::optional<int> port) {
  if (port) {
    try {
      return std::make_unique<http::LocalServer>(*port);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(fmt::format("{}; name another --port, or none", error.what()));
    }
  }
  for (int i = 0; i + 1 < kNumPorts; ++i) {
    try {
      return std::make_unique<http::LocalServer>(kFirstPort + i);
    } catch (const std::runtime_error&) {
      continue;  // in use
    }
  }
  return std::make_unique<http::LocalServer>(0);
}

}  // namespace

void watch_runs(const std::vector<std::filesystem::path>& folders, report::LiveOptions options,
                std::optional<int> port) {
  options.page.refresh_seconds = kRefreshSeconds;
  report::LivePage page(folders, std::move(options));
  page.newest();  // errors of the arguments end the program here
  const std::unique_ptr<http::LocalServer> server = open_server(port);
  terminal::handle_stop_signals();
  terminal::print("http://127.0.0.1:{}/ follows the runs; Ctrl-C ends it\n", server->port());
  std::fflush(stdout);
  const auto handle = [&](const http::Request& request) -> http::Response {
    if (request.path != "/") return http::text_response(404, "the report is at /");
    const report::LivePage::Version& newest = page.newest();
    if (request.header("if-none-match") == newest.etag) {
      return {.status = 304, .etag = newest.etag};
    }
    return {.body = newest.html, .etag = newest.etag};
  };
  server->run(handle, terminal::stop_requested);
}

}  // namespace plr::app
