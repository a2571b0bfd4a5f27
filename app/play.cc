// plr play: how does an agent play a level?
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/film.h"
#include "app/live_terminal.h"
#include "app/moment_view.h"
#include "app/procgen_setup.h"
#include "app/terminal_art.h"
#include "app/verbs.h"
#include "plr/base/fields.h"
#include "plr/catalog/make_env.h"
#include "plr/catalog/render.h"
#include "plr/image/gif.h"
#include "plr/image/png.h"
#include "plr/run/layout.h"
#include "plr/train/saved_agent.h"
#include "plr/train/trainer.h"
#include "plr/train/training_levels.h"
#include "plr/train/watched_episode.h"

namespace plr::app {
namespace {

struct PlayArguments {
  std::string player;  // the folder of a run, or an environment
  std::optional<LevelId> level;
  std::uint64_t seed = 0;
  std::optional<int> steps;
  bool greedy = false;
  int delay = 150;  // milliseconds
  bool by_step = false;
  std::string gif;
  std::string png;
  int tile_size = 24;
};

// Who plays what.
struct Match {
  std::optional<train::SavedAgent>
      saved;  // the network of `agent` and the owner of its environment
  std::unique_ptr<VectorEnv> own_env;
  train::Agent agent;
  LevelId level = 0;
  std::string about;  // the agent and where the level comes from, in a line

  VectorEnv& env() { return saved ? *saved->env : *own_env; }
};

// Whether the name begins with that of a family, such as minigrid/.  If the family has no such
// environment, make_env() reports the closest name.
bool names_environment(const std::string& player) {
  return catalog::find_family(player) != nullptr;
}

std::string about_level(const LevelSet& training, LevelId level) {
  if (training.is_stream()) return "";
  return training.contains(level) ? ", on a level of its training set"
                                  : ", on a level that it has never seen";
}

// In place, since the agent refers to the network in the match.
void load_trained(const PlayArguments& arguments, const Streams& streams, Match& match) {
  prepare_procgen(train::config_of_run(arguments.player).task.env);
  const train::SavedAgent& saved = match.saved.emplace(train::load_agent(arguments.player, 1));
  const LevelSet training = train::training_levels(saved.config.task.levels, saved.env->spec());
  Random random = streams.named("play/level");
  match.agent =
      train::trained_agent(saved.network, arguments.greedy, streams.named("play/actions"));
  match.level = arguments.level
                    ? *arguments.level
                    : train::test_levels(saved.env->spec(), training, 1, random).front();
  match.about = fmt::format("{} after {} updates{}{}", arguments.player, saved.update,
                            arguments.greedy ? ", taking the likeliest action" : "",
                            about_level(training, match.level));
}

void make_random(const PlayArguments& arguments, const Streams& streams, Match& match) {
  if (arguments.greedy) throw std::invalid_argument("--greedy needs a trained agent: name a run");
  prepare_procgen(arguments.player);
  match.own_env = catalog::make_env(arguments.player, {.num_slots = 1});
  const EnvSpec& spec = match.own_env->spec();
  Random random = streams.named("play/level");
  match.agent = train::random_agent(spec.num_actions, streams.named("play/actions"));
  match.level = arguments.level ? *arguments.level
                                : train::sample_levels(spec.full_distribution, 1, random).front();
  match.about = "random actions";
}

std::string ending_of(const train::WatchedEpisode& episode) {
  if (!episode.has_ended) return "stopped";
  return episode.is_solved ? "success" : "no success";
}

std::string summary_of(const train::WatchedEpisode& episode) {
  return fmt::format("{}: return {:.3f} in {} step{}", ending_of(episode), episode.episode_return,
                     episode.length, episode.length == 1 ? "" : "s");
}

// Known once the level has been started.
std::string title_of(Match& match) {
  const std::string_view mission = match.env().mission(0);
  return fmt::format("{}, level {}{}{}", match.env().spec().name, match.level,
                     mission.empty() ? "" : ": ", mission);
}

// Changes in place, at the pace of --delay or of the user.
train::WatchedEpisode play_live(const PlayArguments& arguments, Match& match) {
  const TerminalColors colors = terminal_colors();
  LiveTerminal terminal;
  return train::watch_episode(match.env(), match.level, match.agent, arguments.steps,
                              [&](const train::EpisodeState& state) {
                                std::vector<std::string> lines = {title_of(match), match.about, ""};
                                const auto view = moment_view(match.env(), state, colors);
                                lines.insert(lines.end(), view.begin(), view.end());
                                lines.emplace_back();
                                terminal.show(lines);
                                if (!state.output) return true;
                                return arguments.by_step ? terminal.wait_for_enter()
                                                         : terminal.wait(arguments.delay);
                              });
}

// One line per action, then the level as it was left.
train::WatchedEpisode play_transcript(const PlayArguments& arguments, Match& match) {
  std::optional<train::PolicyOutput> last;
  return train::watch_episode(
      match.env(), match.level, match.agent, arguments.steps,
      [&](const train::EpisodeState& state) {
        if (state.step == 0) {
          fmt::print("{}\n{}\n\n{}\n", title_of(match), match.about, transcript_heading());
        } else {
          fmt::print("{}\n", transcript_line(match.env(), state.step, *last, state.reward));
        }
        last = state.output;
        if (last) return true;
        const std::vector<std::string> level = plain_level(match.env(), state);
        fmt::print("\n{}{}", fmt::join(level, "\n"), level.empty() ? "" : "\n\n");
        return true;
      });
}

train::WatchedEpisode play_into_files(const PlayArguments& arguments, Match& match) {
  std::vector<std::string> names;
  for (Action action = 0; action < match.env().spec().num_actions; ++action) {
    names.push_back(catalog::action_name(match.env(), action));
  }
  const bool sees_part = match.saved && match.saved->config.env.observation == Observation::kView;
  const FrameOptions options = {.tile_size = arguments.tile_size, .highlight = sees_part};
  Film film(names);
  const train::WatchedEpisode episode = train::watch_episode(
      match.env(), match.level, match.agent, arguments.steps,
      [&](const train::EpisodeState& state) {
        film.add(catalog::render_frame(match.env(), 0, state.observation, options), state);
        return true;
      });
  if (!arguments.gif.empty()) {
    image::write_gif(
        arguments.gif, film.animation(ending_of(episode)),
        {.milliseconds = arguments.delay, .last_milliseconds = arguments.delay + 2000});
  }
  if (!arguments.png.empty()) {
    const std::string title =
        fmt::format("{} ({}, {})", title_of(match), match.about, summary_of(episode));
    image::write_png(arguments.png, film.sheet(title, ending_of(episode)));
  }
  if (!arguments.gif.empty()) fmt::print("{} frames in {}\n", film.num_frames(), arguments.gif);
  if (!arguments.png.empty()) fmt::print("a sheet of frames in {}\n", arguments.png);
  return episode;
}

void play(const PlayArguments& arguments) {
  const bool to_files = !arguments.gif.empty() || !arguments.png.empty();
  const bool is_live = !to_files && isatty(STDOUT_FILENO) != 0;
  if (arguments.by_step && !is_live) {
    throw std::invalid_argument(
        "--step waits at a terminal: leave it away with --gif, --png, or "
        "where the output goes elsewhere");
  }
  const bool is_run =
      std::filesystem::exists(std::filesystem::path(arguments.player) / run::layout::kConfig);
  if (!is_run && !names_environment(arguments.player)) {
    throw std::invalid_argument(
        fmt::format("'{}' is neither the folder of a run (no config.toml) nor an environment "
                    "(plr envs lists them)",
                    arguments.player));
  }
  Match match;
  (is_run ? load_trained : make_random)(arguments, Streams(arguments.seed), match);
  const train::WatchedEpisode episode = (to_files  ? play_into_files
                                         : is_live ? play_live
                                                   : play_transcript)(arguments, match);
  fmt::print("{}\n", summary_of(episode));
}

}  // namespace

void add_play(CLI::App& program) {
  auto arguments = std::make_shared<PlayArguments>();
  CLI::App* verb = program.add_subcommand("play", "watch an agent play a level");
  verb->group("Look");
  verb->add_option("RUN", arguments->player,
                   "the folder of a run; or an environment, where a random agent plays")
      ->required();
  verb->add_option_function<std::string>(
          "--level",
          [arguments](const std::string& text) {
            parse_value("--level", text, arguments->level.emplace());
          },
          "which level (one outside the training set)")
      ->type_name("K");
  verb->add_flag("--greedy", arguments->greedy, "take the likeliest action instead of drawing one");
  verb->add_option_function<std::string>(
          "--seed",
          [arguments](const std::string& text) { parse_value("--seed", text, arguments->seed); },
          "of the actions drawn, and of the level")
      ->default_str("0")
      ->type_name("S");
  verb->add_option("--steps", arguments->steps, "stop after so many (when the episode ends)")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  verb->add_option("--delay", arguments->delay, "milliseconds between steps")
      ->check(CLI::Range(0, 60'000))
      ->capture_default_str()
      ->type_name("MS");
  verb->add_flag("--step", arguments->by_step, "wait for Enter between steps");
  verb->add_option("--gif", arguments->gif, "write an animation instead")->type_name("FILE");
  verb->add_option("--png", arguments->png, "write a sheet of pictures instead")->type_name("FILE");
  verb->add_option("--tile-size", arguments->tile_size, "of pictures: pixels per tile")
      ->check(CLI::Range(4, 128))
      ->capture_default_str()
      ->type_name("N");
  verb->footer(
      "The value is the return that the agent expects, in the units in which it learns.\n"
      "\n"
      "Examples:\n"
      "  plr play runs/NAME                            on a level that it has never seen\n"
      "  plr play runs/NAME --level 7 --step           on this one, step by step\n"
      "  plr play runs/NAME --greedy --gif agent.gif   to show to others\n"
      "  plr play procgen/starpilot                    a random agent");
  verb->callback([arguments] { play(*arguments); });
}

}  // namespace plr::app
