// HTTP messages, as far as a server of local pages needs them: the head of a request, and a whole
// response.
//
//   const std::optional<Request> request = parse_request("GET /x?y HTTP/1.1\r\nHost: a\r\n\r\n");
//   request->path;              // "/x"
//   request->header("host");    // "a"
//
// Copyable values; the functions are thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace plr::http {

struct Request {
  std::string method;                          // "GET"
  std::string path;                            // of the target, without the query
  std::map<std::string, std::string> headers;  // by name in lower case; the last of equal names

  // Empty if there is no such header. `name` is in lower case.
  std::string header(const std::string& name) const;
};

// The size of the head at the beginning of `received`, up to and including its empty line; nothing
// if the head is not complete.
std::optional<std::size_t> head_size(std::string_view received);

// Nothing if `head`, which includes its empty line, is not that of an HTTP/1 request for a path.
std::optional<Request> parse_request(std::string_view head);

struct Response {
  int status = 200;
  std::string type = "text/html; charset=utf-8";
  std::string body = {};
  std::string etag = {};  // a quoted version of the body; empty: none
};

// A response with one line of text.
Response text_response(int status, std::string_view text);

// The bytes to send. The connection ends after them. The body is left out of the answer to HEAD.
std::string to_bytes(const Response& response, bool has_body);

// Whether a Host header names this machine by its loopback address, with this port. A page of
// another site that reaches the server by a name of its own (DNS rebinding) sends another one.
bool is_local_host(std::string_view host, int port);

}  // namespace plr::http
