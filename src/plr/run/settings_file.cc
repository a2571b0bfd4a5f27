#include "plr/run/settings_file.h"

#define TOML_ENABLE_FORMATTERS 0
// A text can reach the assertions of toml++ ("[" at the end of a line); without them it reports an
// error.
#define TOML_ASSERT(expression) static_cast<void>(0)
#define TOML_ASSUME(expression) static_cast<void>(0)
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <toml.hpp>
#include <utility>

namespace plr::run {
namespace {

[[noreturn]] void fail(const std::string& source, const toml::source_position& at,
                       std::string_view what) {
  throw std::invalid_argument(source + ":" + std::to_string(at.line) + ":" +
                              std::to_string(at.column) + ": " + std::string(what));
}

// The byte at a position; columns count code points.
std::size_t offset_of(std::string_view toml, const toml::source_position& position) {
  std::size_t offset = 0;
  for (toml::source_index line = 1; line < position.line; ++line) {
    offset = toml.find('\n', offset) + 1;
  }
  const auto is_continuation = [&] { return (toml[offset] & 0xc0) == 0x80; };
  for (toml::source_index column = 1; column < position.column; ++column) {
    do ++offset;
    while (offset < toml.size() && is_continuation());
  }
  return offset;
}

constexpr std::string_view kDigits = "0123456789";

// TOML integers are signed. Puts quotes around the unsigned ones on a line that are too large for
// that, and returns false if there are none.
bool quote_unsigned(std::string& toml, toml::source_index line) {
  const std::size_t line_begin = offset_of(toml, {line, 1});
  std::size_t line_end = std::min(toml.find('\n', line_begin), toml.size());
  bool found = false;
  for (std::size_t begin = line_begin; begin < line_end;) {
    begin = toml.find_first_of(kDigits, begin);
    if (begin >= line_end) break;
    std::size_t end = std::min(toml.find_first_not_of(kDigits, begin), toml.size());
    std::uint64_t value = 0;
    const bool fits =
        std::from_chars(toml.data() + begin, toml.data() + end, value).ec == std::errc();
    if (fits && value > std::uint64_t{std::numeric_limits<std::int64_t>::max()} &&
        (begin == 0 || toml[begin - 1] != '"')) {
      toml.insert(end, "\"").insert(begin, "\"");
      end += 2;
      line_end += 2;
      found = true;
    }
    begin = end;
  }
  return found;
}

// Each line with large unsigned integers costs another pass over the text.
constexpr int kMaxPasses = 100;

toml::table parse(std::string& toml, const std::string& source) {
  for (int pass = 1;; ++pass) {
    try {
      return toml::parse(toml);
    } catch (const toml::parse_error& error) {
      if (pass == kMaxPasses || !quote_unsigned(toml, error.source().begin.line)) {
        fail(source, error.source().begin, error.description());
      }
    }
  }
}

class SettingsReader {
 public:
  SettingsReader(std::string_view toml, const std::string& source) : toml_(toml), source_(source) {}

  void read(const toml::table& table, const std::string& section) {
    for (const auto& [key, node] : table) {
      const toml::source_position& at = key.source().begin;
      if (const toml::table* inner = node.as_table()) {
        const std::string name =
            section.empty() ? std::string(key) : section + "." + std::string(key);
        if (inner->empty()) {
          settings_[{at.line, at.column}] = {.section = name,
                                             .name = "",
                                             .values = {},
                                             .place = source_ + ":" + std::to_string(at.line)};
        }
        read(*inner, name);
        continue;
      }
      ParsedSetting& setting = settings_[{at.line, at.column}];
      setting = {.section = section,
                 .name = std::string(key),
                 .values = {},
                 .place = source_ + ":" + std::to_string(at.line)};
      if (const toml::array* list = node.as_array()) {
        for (const toml::node& element : *list) setting.values.push_back(text(element));
      } else {
        setting.values.push_back(text(node));
      }
    }
  }

  std::vector<ParsedSetting> settings() && {
    std::vector<ParsedSetting> in_file_order;
    for (auto& [position, setting] : settings_) in_file_order.push_back(std::move(setting));
    return in_file_order;
  }

 private:
  std::string text(const toml::node& node) const {
    if (const auto* string = node.as_string()) return string->get();
    if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
    if (!node.is_number()) {
      fail(source_, node.source().begin, "a value must be a string, a number, true or false");
    }
    const std::size_t begin = offset_of(toml_, node.source().begin);
    std::string number(toml_.substr(begin, toml_.find_first_of(" \t\r\n,]}#", begin) - begin));
    std::erase(number, '_');
    return number;
  }

  std::string_view toml_;
  const std::string& source_;
  // By line and column, since a toml::table is sorted by name.
  std::map<std::pair<toml::source_index, toml::source_index>, ParsedSetting> settings_;
};

}  // namespace

std::vector<ParsedSetting> parse_settings(const std::string& toml, const std::string& source) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  std::string text = toml.starts_with(kByteOrderMark) ? toml.substr(kByteOrderMark.size()) : toml;
  const toml::table table = parse(text, source);
  SettingsReader reader(text, source);
  reader.read(table, "");
  return std::move(reader).settings();
}

std::vector<Setting> parse_flat_settings(const std::string& toml, const std::string& source) {
  std::vector<Setting> settings;
  for (const auto& [section, name, values, place] : parse_settings(toml, source)) {
    if (!section.empty()) {
      throw std::invalid_argument(place + ": settings of a run have no sections");
    }
    if (values.size() != 1) throw std::invalid_argument(place + ": " + name + " must be one value");
    settings.push_back({name, values.front(), place});
  }
  return settings;
}

Setting parse_assignment(const std::string& option, const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos) {
    throw std::invalid_argument(option + " must be NAME=VALUE, not " + text);
  }
  return {.name = text.substr(0, sign), .value = text.substr(sign + 1), .place = option};
}

// The strings of JSON are strings of TOML.
std::string toml_string(std::string_view text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {
    throw std::invalid_argument("a setting must be UTF-8, but '" + std::string(text) + "' is not");
  }
}

}  // namespace plr::run
