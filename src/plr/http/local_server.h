// A small HTTP server for pages on this machine. It listens on the loopback address 127.0.0.1 only.
//
//   LocalServer server(8600);
//   server.run([](const Request& request) { return Response{.body = "<p>hello"}; },
//   stop_requested);
//
// It answers GET and HEAD, closes the connection after each response, and refuses requests that
// name another host. A request that is too long, malformed or takes more than ten seconds is
// refused or dropped; at most 64 connections are open. Requests are handled one after the other in
// the thread that calls run(). Not copyable. Not thread-safe.
#pragma once

#include <functional>

#include "plr/http/message.h"

namespace plr::http {

using Handler = std::function<Response(const Request&)>;

class LocalServer {
 public:
  // Listens on a port; 0: any free port. Throws std::runtime_error with the cause if it is in use
  // or may not be opened.
  explicit LocalServer(int port);
  ~LocalServer();
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  int port() const { return port_; }

  // Serves until `should_stop` returns true; it is called at least five times a second. A handler
  // that throws std::exception gives a response of status 500 with its message.
  void run(const Handler& handler, const std::function<bool()>& should_stop);

 private:
  int listener_ = -1;
  int port_ = 0;
};

}  // namespace plr::http
