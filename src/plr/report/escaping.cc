#include "plr/report/escaping.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

namespace plr::report {
namespace {

std::string with_backslash_before(std::string_view special, const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

std::string html_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string latex_escaped(const std::string& text) {
  return with_backslash_before("&%$#_{}", text);
}

std::string markdown_escaped(const std::string& text) { return with_backslash_before("|", text); }

std::string csv_quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string csv_cell(const std::string& text) {
  return text.find_first_of(",\"\r\n") == std::string::npos ? text : csv_quoted(text);
}

std::string csv_number(double value) { return std::isfinite(value) ? fmt::to_string(value) : ""; }

}  // namespace plr::report
