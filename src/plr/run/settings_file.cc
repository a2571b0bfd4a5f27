#include "plr/run/settings_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace plr::run {
namespace {

constexpr std::array<std::pair<char, char>, 5> kEscapes = {
    {{'"', '"'}, {'\\', '\\'}, {'\n', 'n'}, {'\r', 'r'}, {'\t', 't'}}};

// The reader takes what stands between quotes apart at commas, and cuts it off where a comment
// might begin.  So it gets to see numbers instead, between two signs that are left out elsewhere.
class HiddenTexts {
 public:
  explicit HiddenTexts(const std::string& toml) {
    for (std::size_t i = 0; i < toml.size();) {
      const char c = toml[i];
      const std::size_t end = c == '"' || c == '\'' ? closing_quote(toml, i) : std::string::npos;
      if (end != std::string::npos) {
        shown_ += '"' + std::string(1, kBegin) + std::to_string(texts_.size()) + kEnd + '"';
        const std::string text = toml.substr(i + 1, end - i - 1);
        texts_.push_back(c == '"' ? unescaped(text) : text);
        i = end + 1;
      } else if (c == '#') {
        i = std::min(toml.find('\n', i), toml.size());
      } else {
        if (c != kBegin && c != kEnd) shown_ += c;
        ++i;
      }
    }
  }

  const std::string& shown() const { return shown_; }

  std::string restored(const std::string& text) const {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != kBegin) {
        result += text[i];
        continue;
      }
      const std::size_t end = text.find(kEnd, i);
      result += texts_.at(std::stoul(text.substr(i + 1, end - i - 1)));
      i = end;
    }
    return result;
  }

 private:
  static constexpr char kBegin = '\x01';
  static constexpr char kEnd = '\x02';

  // On the same line; npos if there is none.
  static std::size_t closing_quote(const std::string& toml, std::size_t quote) {
    for (std::size_t i = quote + 1; i < toml.size() && toml[i] != '\n'; ++i) {
      if (toml[i] == toml[quote]) return i;
      if (toml[i] == '\\' && toml[quote] == '"') ++i;
    }
    return std::string::npos;
  }

  static std::string unescaped(const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto* escape = kEscapes.end();
      if (text[i] == '\\' && i + 1 < text.size()) {
        escape = std::ranges::find(kEscapes, text[i + 1], &std::pair<char, char>::second);
      }
      result += escape == kEscapes.end() ? text[i] : escape->first;
      if (escape != kEscapes.end()) ++i;
    }
    return result;
  }

  std::string shown_;
  std::vector<std::string> texts_;
};

std::string section_of(const CLI::ConfigItem& item) {
  std::string section;
  for (const std::string& parent : item.parents) section += (section.empty() ? "" : ".") + parent;
  return section;
}

}  // namespace

std::vector<SettingLine> lines_of_toml(const std::string& toml, const std::string& source) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  const HiddenTexts texts(toml.starts_with(kByteOrderMark) ? toml.substr(kByteOrderMark.size())
                                                           : toml);
  std::istringstream text(texts.shown());
  std::vector<SettingLine> lines;
  try {
    for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(text)) {
      // The reader's own marks of a section's begin and end.
      if (item.inputs.empty() && (item.name == "++" || item.name == "--")) continue;
      SettingLine& line = lines.emplace_back(SettingLine{section_of(item), item.name, {}});
      for (const std::string& value : item.inputs) line.values.push_back(texts.restored(value));
    }
  } catch (const CLI::Error& error) {
    throw std::invalid_argument(source + ": " + error.what());
  }
  return lines;
}

std::map<std::string, std::string> values_of_toml(const std::string& toml,
                                                  const std::string& source) {
  std::map<std::string, std::string> settings;
  for (const SettingLine& line : lines_of_toml(toml, source)) {
    if (!line.section.empty() || line.values.size() != 1) {
      throw std::invalid_argument(source + ": " + line.name +
                                  " must be one value, and settings have no sections");
    }
    settings[line.name] = line.values.front();
  }
  return settings;
}

std::string toml_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto* escape = std::ranges::find(kEscapes, c, &std::pair<char, char>::first);
    if (escape != kEscapes.end()) result += '\\';
    result += escape == kEscapes.end() ? c : escape->second;
  }
  return result + '"';
}

}  // namespace plr::run
