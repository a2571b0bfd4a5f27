#include "plr/viewer/episode_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "plr/catalog/render.h"
#include "plr/terminal/block_bar.h"
#include "plr/viewer/text_art.h"

namespace plr::viewer {
namespace {

using terminal::Colors;

constexpr int kBarWidth = 20;
constexpr int kPanelWidth = 40;
constexpr int kNameWidth = 8;

TextArt level_art(const VectorEnv& env, const train::EpisodeState& state, Colors colors) {
  if (const auto text = catalog::render_text(env, 0)) return text_art(*text, colors);
  if (!catalog::has_pictures(env)) return {};
  // About as many pixels as a terminal has characters.
  return text_art(catalog::render_frame(env, 0, state.observation, {.tile_size = 4}), colors);
}

// Terminals with colors are taken to show block characters too.
std::string probability_bar(double p, Colors colors) {
  if (colors != Colors::kNone) return terminal::block_bar(p, kBarWidth);
  return std::string(static_cast<std::size_t>(std::lround(p * kBarWidth)), '#');
}

// At the end of the episode there is no decision: the line is the name alone.
std::string action_line(const VectorEnv& env, Action action,
                        const std::optional<train::PolicyOutput>& output, Colors colors) {
  const bool is_chosen = output && output->action[0] == action;
  std::string text = fmt::format("{} {:<{}}", is_chosen ? '>' : ' ',
                                 catalog::action_name(env, action), kNameWidth);
  if (output) {
    const double p = output->probabilities[static_cast<std::size_t>(action)];
    text += fmt::format("{:>4.0f}%  {}", 100 * p, probability_bar(p, colors));
  }
  if (colors == Colors::kNone) return text;
  return fmt::format("\x1b[{}m{}\x1b[0m", is_chosen ? "1;33" : "2", text);
}

std::vector<std::string> panel(const VectorEnv& env, const train::EpisodeState& state,
                               Colors colors) {
  const auto field = [](const char* name, const std::string& value) {
    return fmt::format("  {:<{}}{}", name, kNameWidth, value);
  };
  const auto number = [](double x) { return fmt::format("{:6.3f}", x); };
  const bool has_value = state.output && state.output->value;
  const std::string carried = catalog::carried_object(env, 0);
  std::vector<std::string> lines = {
      field("step", fmt::format("{:>2} of {}", state.step, env.spec().max_steps)),
      field("reward", number(state.reward)),
      field("return", number(state.episode_return)),
      field("value", has_value ? number(*state.output->value) : " -"),
      field("holds", " " + (carried.empty() ? "-" : carried)),
      ""};
  for (Action action = 0; action < env.spec().actions.num_choices(); ++action) {
    lines.push_back(action_line(env, action, state.output, colors));
  }
  if (!env.spec().actions.is_discrete()) {
    const bool has_action = state.output.has_value();
    const std::string text = has_action ? catalog::action_text(env, state.output->action) : "-";
    lines.push_back(field("action", " " + text));
  }
  return lines;
}

}  // namespace

std::vector<std::string> step_view(const VectorEnv& env, const train::EpisodeState& state,
                                   Colors colors, int width) {
  auto [lines, level_width] = level_art(env, state, colors);
  const std::vector<std::string> panel_lines = panel(env, state, colors);
  if (level_width == 0 || level_width + kPanelWidth > width) {
    lines.insert(lines.end(), panel_lines.begin(), panel_lines.end());
    return lines;
  }
  const std::string blank(static_cast<std::size_t>(level_width), ' ');
  lines.resize(std::max(lines.size(), panel_lines.size()), blank);
  for (std::size_t i = 0; i < panel_lines.size(); ++i) lines[i] += "  " + panel_lines[i];
  return lines;
}

std::string transcript_heading() {
  return fmt::format("{:>5}  {:<{}} {:>11} {:>8} {:>8}", "step", "action", kNameWidth,
                     "probability", "value", "reward");
}

std::string transcript_line(const VectorEnv& env, int step, const train::PolicyOutput& output,
                            double reward) {
  std::string p = "-";  // only a discrete action has a probability
  if (!output.probabilities.empty()) {
    p = fmt::format("{:.3f}", output.probabilities[static_cast<std::size_t>(output.action[0])]);
  }
  const std::string value = output.value ? fmt::format("{:.3f}", *output.value) : "-";
  return fmt::format("{:>5}  {:<{}} {:>11} {:>8} {:>8.3f}", step,
                     catalog::action_text(env, output.action), kNameWidth, p, value, reward);
}

std::vector<std::string> transcript_level(const VectorEnv& env, const train::EpisodeState& state) {
  std::vector<std::string> lines = level_art(env, state, Colors::kNone).lines;
  for (std::string& line : lines) line = trimmed(line);
  return lines;
}

}  // namespace plr::viewer
