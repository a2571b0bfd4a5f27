// The program plr: parses the command line, calls a verb (verbs.h) and reports errors.
//
// Exit codes: 0 success; 1 a violated rule (plr check); 2 error; 75 another rank of the run was
// lost; 130, 143, 129 and 141 stopped by Ctrl-C, SIGTERM, a closed terminal or a closed pipe, with
// everything saved.  Errors are one line on standard error; a standard error that cannot be written
// changes nothing else.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "app/ranks.h"
#include "app/verbs.h"
#include "plr/base/closest_name.h"
#include "plr/run/behavior_version.h"
#include "plr/terminal/print.h"
#include "plr/terminal/standard_files.h"
#include "plr/terminal/stop_signal.h"

namespace plr::app {
namespace {

constexpr int kCheckFailed = 1;
constexpr int kFailed = 2;

constexpr const char* kExamples =
    "Examples:\n"
    "  plr play runs/NAME                                   watch a trained agent\n"
    "  plr experiment experiments/quick.toml                many runs from one file\n"
    "  plr report runs                                      compare runs on one page\n"
    "  plr envs multiroom                                   list environments by part of their "
    "name\n"
    "  plr levels minigrid/MultiRoom-N4-Random --seeds 0-5  draw six levels\n"
    "  plr bench env                                        measure the speed of environments\n"
    "\n"
    "plr VERB --help describes a verb.";

std::string version_text() {
  return fmt::format("plr {}, behavior version {}", PLR_VERSION, run::kBehaviorVersion);
}

void describe(CLI::App& program) {
  program.name("plr");
  program.description(
      "Prioritized Level Replay: trains agents on procedurally generated levels and\n"
      "selects, episode by episode, the level to play next.");
  program.set_help_flag("-h,--help", "print this help and exit");
  program.set_version_flag("--version", version_text(), "print the version and exit");
  program.get_formatter()->label("SUBCOMMAND", "VERB");
  program.get_formatter()->column_width(24);
  program.require_subcommand(0, 1);
  for (const auto add : kVerbs) add(program);
  program.footer(
      kExamples);  // last: subcommands inherit the footer that exists when they are added
}

// The innermost subcommand that the arguments selected.
CLI::App& chosen(CLI::App& app) {
  const std::vector<CLI::App*> parts = app.get_subcommands();
  return parts.empty() ? app : chosen(*parts.front());
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : full_name(*app.get_parent()) + " " + app.get_name();
}

std::vector<std::string> option_names(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> verb_names(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](CLI::App*) { return true; })) {
    names.push_back(verb->get_name());
  }
  return names;
}

// The message for an argument that no option takes.
std::string unexpected_message(CLI::App& app, const std::string& word) {
  if (word.starts_with("-")) {
    return fmt::format("unknown option '{}'; did you mean {}?", word,
                       closest_name(word, option_names(app)));
  }
  const std::vector<std::string> verbs = verb_names(app);
  if (verbs.empty()) return fmt::format("unexpected argument '{}'", word);
  return fmt::format("unknown verb '{}'; did you mean {}?", word, closest_name(word, verbs));
}

// Messages of CLI11 may have several lines.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

// CLI11's message, where "--seed: 1 required  missing" is a missing value.
std::string parse_message(const CLI::ParseError& error) {
  const std::string text = error.what();
  const std::size_t end = text.find(": 1 required ");
  return end == std::string::npos ? text : text.substr(0, end) + " needs a value";
}

// Why output could not be written, such as to a full disk; empty if all of it was.
std::string output_problem() {
  const bool is_flushed = std::fflush(stdout) == 0;
  const int cause = is_flushed ? terminal::write_error.load() : errno;
  if (is_flushed && std::ferror(stdout) == 0) return "";
  return fmt::format("cannot write to standard output{}{}", cause == 0 ? "" : ": ",
                     cause == 0 ? "" : std::strerror(cause));
}

int report(const CLI::App& app, const std::string& what) {
  terminal::print(stderr, "{}: {}\n", full_name(app), one_line(what));
  return kFailed;
}

// A wrong command line is the same in all ranks of a run: one of them reports it.
int report_usage(const CLI::App& app, const std::string& what) {
  return is_silent_rank(full_name(app)) ? kFailed : report(app, what);
}

int report_parse_error(CLI::App& program, const CLI::ParseError& error) {
  CLI::App& app = chosen(program);
  // CLI11 throws for --help and --version too.
  if (error.get_exit_code() == 0) {
    program.exit(error);
    const std::string problem = output_problem();
    return problem.empty() ? 0 : report(app, problem);
  }
  const std::vector<std::string> unexpected = program.remaining(true);
  if (!unexpected.empty()) {
    return report_usage(app, unexpected_message(app, unexpected.front()));
  }
  const std::vector<std::string> verbs = verb_names(app);
  if (!verbs.empty()) {
    return report_usage(
        app, fmt::format("missing subcommand; choose one of: {}", fmt::join(verbs, ", ")));
  }
  return report_usage(app, fmt::format("{}; see {} --help", parse_message(error), full_name(app)));
}

// Options are spelled with hyphens, settings in files with underscores; options accept both. An
// empty value is an argument of its own, since CLI11 takes the next one after "--name=".
std::vector<std::string> read_arguments(int argc, char** argv) {
  std::vector<std::string> arguments;
  for (std::string argument : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
    const std::size_t equals = argument.find('=');
    const bool is_option = argument.starts_with("--");
    if (is_option) {
      const std::size_t end = std::min(equals, argument.size());
      std::replace(argument.begin(), argument.begin() + static_cast<std::ptrdiff_t>(end), '_', '-');
    }
    const bool is_empty = is_option && equals + 1 == argument.size();
    if (is_empty) argument.pop_back();
    arguments.push_back(std::move(argument));
    if (is_empty) arguments.emplace_back();
  }
  std::reverse(arguments.begin(), arguments.end());  // the order that CLI11 expects
  return arguments;
}

// What is wrong with an empty argument: it usually comes from a script whose variable is not set.
// Empty if there is none, or for --test-env, where no name means the levels of --env.
std::string empty_argument_problem(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool has_value = word.starts_with("--") && word.find('=') == word.size() - 1;
    if (!has_value && !word.empty()) continue;
    std::string option = has_value ? word.substr(0, word.size() - 1) : argv[i - 1];
    if (option == "--test-env" || option == "--test_env") continue;
    return (option.starts_with("--") ? option : "an argument") + " must not be empty";
  }
  return "";
}

// The message of an exception of libtorch, which ends in a backtrace.
std::string without_backtrace(std::string message) {
  const std::size_t end =
      std::min(message.find("\nException raised from "), message.find(" frame #0: "));
  if (end < message.size()) message.resize(end);
  return message;
}

int run(int argc, char** argv) {
  CLI::App program;
  describe(program);
  const std::string wrong = empty_argument_problem(argc, argv);
  if (!wrong.empty()) return report_usage(program, wrong);
  try {
    program.parse(read_arguments(argc, argv));
    if (program.get_subcommands().empty()) terminal::print("{}", program.help());
    const std::string problem = output_problem();
    if (!problem.empty()) throw std::runtime_error(problem);
    return 0;
  } catch (const CLI::ParseError& error) {
    return report_parse_error(program, error);
  } catch (const terminal::Stopped& stopped) {
    return stopped.exit_code();
  } catch (const std::bad_alloc&) {
    return report(chosen(program), "out of memory; use fewer slots, steps or levels");
  } catch (const std::exception& error) {
    return report(chosen(program), without_backtrace(error.what()));
  } catch (const Failed&) {
    const std::string problem = output_problem();
    return problem.empty() ? kCheckFailed : report(chosen(program), problem);
  } catch (...) {
    return report(chosen(program), "a plug-in threw an exception that is no std::exception");
  }
}

}  // namespace
}  // namespace plr::app

int main(int argc, char** argv) {
  plr::terminal::open_standard_files();
  std::signal(SIGXFSZ, SIG_IGN);  // makes a file size limit an error like a full disk
  return plr::app::run(argc, argv);
}
