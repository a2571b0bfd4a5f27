#include "plr/reference/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "plr/experiment/plan_file.h"
#include "plr/reference/codes.h"
#include "plr/reference/run_files.h"
#include "plr/reference/settings.h"

namespace plr::reference {
namespace {

// "--learning-rate" and "learning-rate" are the setting learning_rate.
std::string setting_name(std::string word) {
  if (word.starts_with("--")) word.erase(0, 2);
  std::ranges::replace(word, '-', '_');
  return word;
}

std::string upper_case(std::string word) {
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::toupper(c); });
  return word;
}

std::string text_of(const Code& code) {
  std::string text = fmt::format("{}: {}\n", code.name, code.cells.front().text);
  for (std::size_t i = 1; i < code.cells.size(); ++i) {
    text += fmt::format("  {}: {}\n", code.cells[i].heading, code.cells[i].text);
  }
  return text + "  See docs/algorithm.md.\n";
}

std::string text_of(const SettingText& setting, const std::string& group) {
  std::string text = fmt::format("{} (a setting, {}): {}\n", setting.name, group, setting.meaning);
  if (!setting.values.empty()) text += fmt::format("  values: {}\n", setting.values);
  for (const Choice& choice : setting.choices) {
    text += fmt::format("  {}: {}\n", choice.name, choice.meaning);
  }
  text += fmt::format("  default: {}\n",
                      setting.default_value.empty() ? "empty" : setting.default_value);
  if (!setting.paper.empty()) text += fmt::format("  in the paper: {}\n", setting.paper);
  if (!setting.released.empty()) {
    text += fmt::format("  in the released code: {}\n", setting.released);
  }
  return text;
}

std::string text_of(const PresetText& preset) {
  std::string text = fmt::format("{} (a preset): {}\n", preset.name, preset.summary);
  for (const auto& [name, value] : preset.settings) text += fmt::format("  {} = {}\n", name, value);
  return text;
}

std::string text_of(const RunFileText& file) {
  std::string text = fmt::format("{} (a file of a run): {}\n", file.name, file.meaning);
  for (const FieldText& field : file.fields) {
    text += fmt::format("  {} ({}): {}\n", field.name, field.type, field.meaning);
  }
  return text;
}

// Calls visit(word, text) for every word that has an explanation.
template <class Visit>
void visit_words(const Visit& visit) {
  for (const Code& code : codes()) {
    for (std::size_t first = 0; first < code.name.size();) {
      const std::size_t end = std::min(code.name.find(", ", first), code.name.size());
      visit(code.name.substr(first, end - first), [&] { return text_of(code); });
      first = end + 2;
    }
  }
  for (const SettingGroup& group : setting_groups()) {
    for (const SettingText& setting : group.settings) {
      visit(setting.name, [&] { return text_of(setting, group.title); });
      for (const Choice& choice : setting.choices) {
        visit(choice.name, [&] {
          return fmt::format("{} (a value of {}): {}\n", choice.name, setting.name, choice.meaning);
        });
      }
    }
  }
  for (const PresetText& preset : preset_texts()) {
    visit(preset.name, [&] { return text_of(preset); });
  }
  for (const RunFileText& file : run_files()) {
    visit(file.name, [&] { return text_of(file); });
  }
  for (const experiment::PlanLine& line : experiment::kPlanLines) {
    visit(std::string(line.name), [&] {
      return fmt::format("{} (a line of an experiment file): {}\n", line.name, line.meaning);
    });
  }
}

}  // namespace

std::optional<std::string> explain(const std::string& word) {
  std::string found;
  visit_words([&](const std::string& known, const auto& text) {
    if (known != word && known != setting_name(word) && known != upper_case(word)) return;
    found += (found.empty() ? "" : "\n") + text();
  });
  if (found.empty()) return std::nullopt;
  return found;
}

std::vector<std::string> known_words() {
  std::vector<std::string> words;
  visit_words([&](const std::string& word, const auto&) { words.push_back(word); });
  return words;
}

}  // namespace plr::reference
