// plr help: explains verbs, settings and codes; writes the reference pages.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/verbs.h"
#include "plr/base/closest_name.h"
#include "plr/base/files.h"
#include "plr/reference/codes.h"
#include "plr/reference/explain.h"
#include "plr/reference/pages.h"
#include "plr/terminal/print.h"

namespace plr::app {
namespace {

struct HelpArguments {
  std::vector<std::string> words;
  std::string write;
};

std::vector<CLI::App*> verbs_of(CLI::App& app) {
  return app.get_subcommands([](CLI::App*) { return true; });
}

// The help of this verb alone; CLI::App::help() gives that of the verb that is running.
// `path` is the verb's full name, such as "plr bench train".
std::string help_of(CLI::App& app, const std::string& path) {
  return app.get_formatter()->make_help(&app, path, CLI::AppFormatMode::Normal);
}

// The help of the verb that the words name; empty if they name none.
std::string verb_help(CLI::App& app, const std::string& path, const std::vector<std::string>& words,
                      std::size_t depth = 0) {
  if (depth == words.size()) return help_of(app, path);
  for (CLI::App* verb : verbs_of(app)) {
    if (verb->get_name() != words[depth]) continue;
    return verb_help(*verb, path + " " + words[depth], words, depth + 1);
  }
  return "";
}

void append_commands(CLI::App& app, const std::string& path, std::string& page) {
  page += fmt::format("\n## {}\n\n```text\n{}```\n", path, help_of(app, path));
  for (CLI::App* verb : verbs_of(app)) append_commands(*verb, path + " " + verb->get_name(), page);
}

std::string commands_page(CLI::App& program) {
  std::string page = fmt::format(
      "# Commands\n\n"
      "Generated from the code by `plr help --write docs/reference`. Codes such as D6 are "
      "explained "
      "in\n[algorithm.md](../algorithm.md#where-the-paper-and-the-released-code-differ) and by "
      "`plr help D6`.\n\n"
      "Exit codes: 0 success; 1 a violated rule (plr check); 2 error, with one line on standard "
      "error; 75 another\nrank of the run was lost; 130, 143, 129 and 141 stopped by Ctrl-C, SIGTERM, "
      "a closed terminal or a closed\npipe, with everything saved.\n\n"
      "## plr --version\n\n```text\n{}\n```\n",
      program.version());
  append_commands(program, program.get_name(), page);
  return page;
}

void write_pages(CLI::App& program, const std::filesystem::path& folder) {
  make_directories(folder);
  write_text(folder / "commands.md", commands_page(program));
  write_text(folder / "settings.md", reference::settings_page());
  write_text(folder / "run_files.md", reference::run_files_page());
  write_text(folder / "experiment_files.md", reference::experiment_page());
}

void help(CLI::App& program, const HelpArguments& arguments) {
  if (!arguments.write.empty()) return write_pages(program, arguments.write);
  std::string text = verb_help(program, program.get_name(), arguments.words);
  if (text.empty() && arguments.words.size() == 1) {
    const std::string& word = arguments.words.front();
    text = reference::explain(word).value_or("");
    if (text.empty()) {
      std::vector<std::string> known = reference::known_words();
      for (const CLI::App* verb : verbs_of(program)) known.push_back(verb->get_name());
      throw std::invalid_argument(fmt::format("there is no help on '{}'; did you mean {}?", word,
                                              closest_name(word, known)));
    }
  }
  if (text.empty()) {
    throw std::invalid_argument(fmt::format("there is no verb '{}'; plr --help lists the verbs",
                                            fmt::join(arguments.words, " ")));
  }
  terminal::print("{}", text);
}

}  // namespace

void add_help(CLI::App& program) {
  const auto arguments = std::make_shared<HelpArguments>();
  CLI::App* verb = program.add_subcommand("help", "explain a verb, a setting or a code such as D6");
  verb->group("Look");
  verb->footer(
      "Examples:\n"
      "  plr help bench train        the options of a verb\n"
      "  plr help temperature        a setting: meaning, values, default\n"
      "  plr help maze-accel         the settings of a preset\n"
      "  plr help D6                 a difference between the paper and the released code\n"
      "  plr help log.jsonl          the fields of a file of a run");
  verb->add_option("WORD", arguments->words,
                   "a verb, setting, value, preset, file of a run, or code");
  verb->add_option("--write", arguments->write,
                   "write the reference pages into this folder, such as docs/reference");
  verb->callback([&program, arguments] { help(program, *arguments); });
}

}  // namespace plr::app
