#include <fmt/format.h>

#include "plr/reference/codes.h"
#include "plr/reference/pages.h"
#include "plr/reference/settings.h"

namespace plr::reference {
namespace {

constexpr const char* kIntroduction =
    "# Settings\n\n"
    "Generated from the code by `plr help --write docs/reference`.\n\n"
    "A setting is a flag of `plr train` (`--learning-rate` for `learning_rate`), a line of a file "
    "given with\n`--config`, a line under `[settings]` or `[sweep]` of an "
    "[experiment file](experiment_files.md), and\n`--set NAME=VALUE` of `plr bench`. `plr help "
    "NAME` explains one. Whole numbers may be written as `3e6`,\n`3M` or `500k`. Defaults are "
    "those "
    "without a preset; `plr train` alone uses the preset `small`.\n";

std::string code(const std::string& text) { return text.empty() ? "" : "`" + text + "`"; }

std::string values(const SettingText& setting) {
  if (setting.choices.empty()) return setting.values;
  std::string text;
  for (const Choice& choice : setting.choices) {
    text += (text.empty() ? "" : ", ") + code(choice.name);
  }
  return text;
}

std::string meaning(const SettingText& setting) {
  std::string text = linked_codes(setting.meaning);
  if (!setting.paper.empty()) text += ". Paper: " + code(setting.paper);
  if (!setting.released.empty()) text += ". Released code: " + code(setting.released);
  return text;
}

void append_group(const SettingGroup& group, std::string& page) {
  page += fmt::format("\n## {}\n\n| setting | default | values | meaning |\n|---|---|---|---|\n",
                      group.title);
  for (const SettingText& setting : group.settings) {
    page += fmt::format("| `{}` | {} | {} | {} |\n", setting.name, code(setting.default_value),
                        values(setting), meaning(setting));
  }
  for (const SettingText& setting : group.settings) {
    if (setting.choices.empty()) continue;
    page += fmt::format("\nValues of `{}`:\n\n", setting.name);
    for (const Choice& choice : setting.choices) {
      page += fmt::format("- `{}`: {}\n", choice.name, linked_codes(choice.meaning));
    }
  }
}

}  // namespace

std::string settings_page() {
  std::string page = kIntroduction;
  for (const SettingGroup& group : setting_groups()) append_group(group, page);
  page += "\n## Presets\n\nSettings of `plr train --preset NAME` that differ from the defaults.\n";
  for (const PresetText& preset : preset_texts()) {
    page += fmt::format("\n### {}\n\n{}\n\n```toml\n", preset.name, preset.summary);
    for (const auto& [name, value] : preset.settings) page += fmt::format("{} = {}\n", name, value);
    page += "```\n";
  }
  return page;
}

}  // namespace plr::reference
