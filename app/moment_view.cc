#include "app/moment_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "plr/catalog/render.h"

namespace plr::app {
namespace {

constexpr int kBarWidth = 20;
constexpr int kPanelWidth = 40;
constexpr int kNameWidth = 8;

struct LevelArt {
  std::vector<std::string> lines;
  int width = 0;  // characters that one sees
};

LevelArt level_art(const VectorEnv& env, const train::EpisodeState& state, TerminalColors colors) {
  if (const auto text = catalog::render_text(env, 0)) {
    return {terminal_art(*text, colors), text->width * tile_width(colors)};
  }
  // About as many pixels as a terminal has characters.
  const image::Image picture = catalog::render_frame(env, 0, state.observation, {.tile_size = 4});
  return {terminal_art(picture, colors), picture.width()};
}

// In eighths of a character where there are colors, and so surely other characters too.
std::string bar(double fraction, TerminalColors colors) {
  if (colors == TerminalColors::kNone) {
    return std::string(static_cast<std::size_t>(std::lround(fraction * kBarWidth)), '#');
  }
  constexpr std::array<std::string_view, 8> kParts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const long eighths = std::lround(fraction * kBarWidth * 8);
  std::string text;
  for (long i = 0; i < eighths / 8; ++i) text += "█";
  return text + std::string(kParts[static_cast<std::size_t>(eighths % 8)]);
}

// At the end there is nothing left to do, and the names stand alone.
std::string action_line(const VectorEnv& env, Action action,
                        const std::optional<train::PolicyOutput>& output, TerminalColors colors) {
  const bool is_chosen = output && output->action == action;
  std::string text = fmt::format("{} {:<{}}", is_chosen ? '>' : ' ',
                                 catalog::action_name(env, action), kNameWidth);
  if (output) {
    const double p = output->probabilities[static_cast<std::size_t>(action)];
    text += fmt::format("{:>4.0f}%  {}", 100 * p, bar(p, colors));
  }
  if (colors == TerminalColors::kNone) return text;
  return fmt::format("\x1b[{}m{}\x1b[0m", is_chosen ? "1;33" : "2", text);
}

std::vector<std::string> panel(const VectorEnv& env, const train::EpisodeState& state,
                               TerminalColors colors) {
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
  for (Action action = 0; action < env.spec().num_actions; ++action) {
    lines.push_back(action_line(env, action, state.output, colors));
  }
  return lines;
}

}  // namespace

std::vector<std::string> moment_view(const VectorEnv& env, const train::EpisodeState& state,
                                     TerminalColors colors) {
  auto [lines, width] = level_art(env, state, colors);
  const std::vector<std::string> beside = panel(env, state, colors);
  if (width + kPanelWidth > terminal_width()) {
    lines.insert(lines.end(), beside.begin(), beside.end());
    return lines;
  }
  const std::string nothing(static_cast<std::size_t>(width), ' ');
  lines.resize(std::max(lines.size(), beside.size()), nothing);
  for (std::size_t i = 0; i < beside.size(); ++i) lines[i] += "  " + beside[i];
  return lines;
}

std::string transcript_heading() {
  return fmt::format("{:>5}  {:<{}} {:>11} {:>8} {:>8}", "step", "action", kNameWidth,
                     "probability", "value", "reward");
}

std::string transcript_line(const VectorEnv& env, int step, const train::PolicyOutput& output,
                            double reward) {
  const double p = output.probabilities[static_cast<std::size_t>(output.action)];
  const std::string value = output.value ? fmt::format("{:.3f}", *output.value) : "-";
  return fmt::format("{:>5}  {:<{}} {:>11.3f} {:>8} {:>8.3f}", step,
                     catalog::action_name(env, output.action), kNameWidth, p, value, reward);
}

std::vector<std::string> plain_level(const VectorEnv& env, const train::EpisodeState& state) {
  std::vector<std::string> lines = level_art(env, state, TerminalColors::kNone).lines;
  for (std::string& line : lines) line = trimmed(line);
  return lines;
}

}  // namespace plr::app
