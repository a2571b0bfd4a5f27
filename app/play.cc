// plr play: shows an agent that plays a level, in the terminal or as a GIF or PNG.
#include "app/play.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
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

#include "app/plugin_option.h"
#include "app/procgen_setup.h"
#include "app/verbs.h"
#include "plr/base/counted.h"
#include "plr/base/fields.h"
#include "plr/catalog/make_env.h"
#include "plr/catalog/render.h"
#include "plr/image/gif.h"
#include "plr/image/png.h"
#include "plr/run/layout.h"
#include "plr/terminal/live_terminal.h"
#include "plr/terminal/print.h"
#include "plr/terminal/screen.h"
#include "plr/train/run_settings.h"
#include "plr/train/saved_agent.h"
#include "plr/train/training_levels.h"
#include "plr/train/watched_episode.h"
#include "plr/viewer/episode_recorder.h"
#include "plr/viewer/episode_view.h"

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

// An agent, its environment and the level to play.
struct PlaySession {
  std::optional<train::SavedAgent> saved;  // owns the network of `agent` and the environment
  std::unique_ptr<VectorEnv> own_env;
  train::Agent agent;
  LevelId level = 0;
  std::string about;  // a line about the agent and the level

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
                                  : ", on a level outside its training set";
}

// Changes the session in place: the agent refers to the network in it.
void load_trained(const PlayArguments& arguments, const Streams& streams, PlaySession& session) {
  prepare_procgen(train::config_of_run(arguments.player).task.env);
  const train::SavedAgent& saved = session.saved.emplace(train::load_agent(arguments.player, 1));
  if (!saved.note.empty()) terminal::print(stderr, "{}\n", saved.note);
  const LevelSet training = train::training_levels(saved.config.task.levels, saved.env->spec());
  Random random = streams.named("play/level");
  session.agent =
      train::trained_agent(*saved.backend, arguments.greedy, streams.named("play/actions"));
  session.level = arguments.level
                      ? *arguments.level
                      : train::test_levels(saved.env->spec(), training, 1, random).front();
  session.about = fmt::format("{} after {} updates{}{}", arguments.player, saved.update,
                              arguments.greedy ? ", taking the most likely action" : "",
                              about_level(training, session.level));
  if (saved.config.rewards.normalize_rewards) session.about += "; values of normalized rewards";
}

void make_random(const PlayArguments& arguments, const Streams& streams, PlaySession& session) {
  if (arguments.greedy)
    throw std::invalid_argument("--greedy requires a trained agent: give the folder of a run");
  prepare_procgen(arguments.player);
  session.own_env = catalog::make_env(arguments.player, {.num_slots = 1});
  const EnvSpec& spec = session.own_env->spec();
  Random random = streams.named("play/level");
  session.agent = train::random_agent(spec.actions, streams.named("play/actions"));
  session.level = arguments.level ? *arguments.level
                                  : train::sample_levels(spec.full_distribution, 1, random).front();
  session.about = "random actions";
}

std::string outcome(const train::WatchedEpisode& episode) {
  if (!episode.has_ended) return "stopped";
  return episode.is_solved ? "success" : "no success";
}

std::string summary(const train::WatchedEpisode& episode) {
  return fmt::format("{}: return {:.3f} in {}", outcome(episode), episode.episode_return,
                     counted(episode.length, "step"));
}

// REQUIRES: the level has been started.
std::string title(PlaySession& session) {
  const std::string_view mission = session.env().mission(0);
  return fmt::format("{}, level {}{}{}", session.env().spec().name, session.level,
                     mission.empty() ? "" : ": ", mission);
}

// Redraws the level in place, every --delay milliseconds or when the user presses Enter.
train::WatchedEpisode play_live(const PlayArguments& arguments, PlaySession& session) {
  const terminal::Colors colors = terminal::screen_colors();
  terminal::LiveTerminal live;
  return train::watch_episode(
      session.env(), session.level, session.agent, arguments.steps,
      [&](const train::EpisodeState& state) {
        std::vector<std::string> lines = {title(session), session.about, ""};
        const auto view = viewer::step_view(session.env(), state, colors, terminal::screen_width());
        lines.insert(lines.end(), view.begin(), view.end());
        lines.emplace_back();
        live.show(lines);
        if (!state.output) return true;
        return arguments.by_step ? live.wait_for_enter() : live.wait(arguments.delay);
      });
}

// Prints a line per action, then the level at the end.
train::WatchedEpisode play_transcript(const PlayArguments& arguments, PlaySession& session) {
  std::optional<train::PolicyOutput> last;
  return train::watch_episode(
      session.env(), session.level, session.agent, arguments.steps,
      [&](const train::EpisodeState& state) {
        if (state.step == 0) {
          terminal::print("{}\n{}\n\n{}\n", title(session), session.about,
                          viewer::transcript_heading());
        } else {
          terminal::print("{}\n",
                          viewer::transcript_line(session.env(), state.step, *last, state.reward));
        }
        last = state.output;
        if (last) return true;
        const std::vector<std::string> level = viewer::transcript_level(session.env(), state);
        terminal::print("\n{}{}", fmt::join(level, "\n"), level.empty() ? "" : "\n\n");
        return true;
      });
}

train::WatchedEpisode play_into_files(const PlayArguments& arguments, PlaySession& session) {
  std::vector<std::string> names;
  for (Action action = 0; action < session.env().spec().actions.num_choices(); ++action) {
    names.push_back(catalog::action_name(session.env(), action));
  }
  const bool sees_part =
      session.saved && session.saved->config.env.observation == Observation::kView;
  const FrameOptions options = {.tile_size = arguments.tile_size, .highlight = sees_part};
  viewer::EpisodeRecorder recorder(names);
  const train::WatchedEpisode episode = train::watch_episode(
      session.env(), session.level, session.agent, arguments.steps,
      [&](const train::EpisodeState& state) {
        recorder.add(catalog::render_frame(session.env(), 0, state.observation, options), state,
                     state.output ? catalog::action_text(session.env(), state.output->action) : "");
        return true;
      });
  if (!arguments.gif.empty()) {
    image::write_gif(
        arguments.gif, recorder.animation(outcome(episode)),
        {.milliseconds = arguments.delay, .last_milliseconds = arguments.delay + 2000});
  }
  if (!arguments.png.empty()) {
    const std::string heading =
        fmt::format("{} ({}, {})", title(session), session.about, summary(episode));
    image::write_png(arguments.png, recorder.sheet(heading, outcome(episode)));
  }
  return episode;
}

void play(const PlayArguments& arguments) {
  const bool to_files = !arguments.gif.empty() || !arguments.png.empty();
  const bool is_live = !to_files && isatty(STDOUT_FILENO) != 0;
  if (arguments.by_step && !is_live) {
    throw std::invalid_argument(
        "--step requires a terminal: remove it with --gif, --png or redirected output");
  }
  const bool is_run =
      std::filesystem::exists(std::filesystem::path(arguments.player) / run::layout::kConfig);
  if (!is_run && !names_environment(arguments.player)) {
    throw std::invalid_argument(
        fmt::format("'{}' is neither the folder of a run (no config.toml) nor an environment "
                    "(plr envs lists them)",
                    arguments.player));
  }
  PlaySession session;
  (is_run ? load_trained : make_random)(arguments, Streams(arguments.seed), session);
  const train::WatchedEpisode episode = (to_files  ? play_into_files
                                         : is_live ? play_live
                                                   : play_transcript)(arguments, session);
  if (!arguments.gif.empty()) terminal::print("an animation in {}\n", arguments.gif);
  if (!arguments.png.empty()) terminal::print("a sheet of frames in {}\n", arguments.png);
  terminal::print("{}\n", summary(episode));
}

}  // namespace

void write_episode(const std::filesystem::path& run, const std::filesystem::path& gif) {
  PlayArguments arguments;
  arguments.player = run.string();
  arguments.gif = gif.string();
  PlaySession session;
  load_trained(arguments, Streams(arguments.seed), session);
  play_into_files(arguments, session);
}

void add_play(CLI::App& program) {
  auto arguments = std::make_shared<PlayArguments>();
  CLI::App* verb = program.add_subcommand("play", "watch an agent play a level");
  verb->group("Look");
  verb->add_option("RUN", arguments->player,
                   "folder of a run; or an environment, for a random agent")
      ->required();
  add_plugin_option(*verb);
  verb->add_option_function<std::string>(
          "--level",
          [arguments](const std::string& text) {
            parse_value("--level", text, arguments->level.emplace());
          },
          "the level (one outside the training set)")
      ->type_name("K");
  verb->add_flag("--greedy", arguments->greedy,
                 "take the most likely action instead of sampling one");
  verb->add_option_function<std::string>(
          "--seed",
          [arguments](const std::string& text) { parse_value("--seed", text, arguments->seed); },
          "random seed of the actions and of the level")
      ->default_str("0")
      ->type_name("S");
  verb->add_option("--steps", arguments->steps, "maximum number of steps (until the episode ends)")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  verb->add_option("--delay", arguments->delay, "milliseconds between steps")
      ->check(CLI::Range(0, 60'000))
      ->capture_default_str()
      ->type_name("MS");
  verb->add_flag("--step", arguments->by_step, "wait for Enter between steps");
  verb->add_option("--gif", arguments->gif, "write an animation instead")->type_name("FILE");
  verb->add_option("--png", arguments->png, "write a sheet of pictures instead")->type_name("FILE");
  verb->add_option("--tile-size", arguments->tile_size, "with --gif or --png: pixels per tile")
      ->check(CLI::Range(4, 128))
      ->capture_default_str()
      ->type_name("N");
  verb->footer(
      "The value is the agent's estimate of the return, in the units of its normalized rewards.\n"
      "\n"
      "Examples:\n"
      "  plr play runs/NAME                            on a level outside its training set\n"
      "  plr play runs/NAME --level 7 --step           on level 7, step by step\n"
      "  plr play runs/NAME --greedy --gif agent.gif   write an animation\n"
      "  plr play procgen/starpilot                    a random agent");
  verb->callback([arguments] { play(*arguments); });
}

}  // namespace plr::app
