#include "plr/http/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace plr::http {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// Takes the first line from `text`, without its line end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

const char* reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Internal Server Error";
  }
}

}  // namespace

std::string Request::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

std::optional<std::size_t> head_size(std::string_view received) {
  for (const std::string_view end : {"\r\n\r\n", "\n\n"}) {
    const std::size_t at = received.find(end);
    if (at != std::string_view::npos) return at + end.size();
  }
  return std::nullopt;
}

std::optional<Request> parse_request(std::string_view head) {
  Request request;
  std::string_view first = take_line(head);
  const std::size_t after_method = first.find(' ');
  const std::size_t after_target = first.rfind(' ');
  if (after_method == std::string_view::npos || after_target == after_method) return std::nullopt;
  request.method = first.substr(0, after_method);
  const std::string_view target = first.substr(after_method + 1, after_target - after_method - 1);
  const bool is_method =
      std::ranges::all_of(request.method, [](unsigned char c) { return std::isupper(c) != 0; });
  if (request.method.empty() || !is_method || !target.starts_with('/') ||
      !first.substr(after_target + 1).starts_with("HTTP/1.")) {
    return std::nullopt;
  }
  request.path = target.substr(0, target.find('?'));
  while (!head.empty()) {
    const std::string_view line = take_line(head);
    if (line.empty()) break;
    const std::size_t colon = line.find(':');
    if (colon == 0 || colon == std::string_view::npos) return std::nullopt;
    std::string name(line.substr(0, colon));
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    request.headers[name] = trimmed(line.substr(colon + 1));
  }
  return request;
}

Response text_response(int status, std::string_view text) {
  return {.status = status, .type = "text/plain; charset=utf-8", .body = fmt::format("{}\n", text)};
}

std::string to_bytes(const Response& response, bool has_body) {
  std::string bytes = fmt::format("HTTP/1.1 {} {}\r\n", response.status, reason(response.status));
  constexpr int kNotModified = 304;  // has no body
  if (response.status != kNotModified) {
    bytes += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", response.type,
                         response.body.size());
  }
  if (response.status == 405) bytes += "Allow: GET, HEAD\r\n";
  if (!response.etag.empty()) bytes += fmt::format("ETag: {}\r\n", response.etag);
  bytes +=
      "Cache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\n"
      "Referrer-Policy: no-referrer\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n"
      "Connection: close\r\n\r\n";
  if (has_body && response.status != kNotModified) bytes += response.body;
  return bytes;
}

bool is_local_host(std::string_view host, int port) {
  constexpr std::array kNames = {"127.0.0.1", "localhost"};
  return std::ranges::any_of(
      kNames, [&](const char* name) { return host == fmt::format("{}:{}", name, port); });
}

}  // namespace plr::http
