#include "plr/viewer/episode_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "plr/image/sheet.h"
#include "plr/image/text.h"

namespace plr::viewer {
namespace {

constexpr image::Rgb kPaper = {24, 25, 29};
constexpr image::Rgb kTrack = {44, 46, 53};
constexpr image::Rgb kFaint = {130, 134, 144};
constexpr image::Rgb kInk = {228, 230, 235};
constexpr image::Rgb kBar = {86, 120, 176};
constexpr image::Rgb kArea = {52, 68, 98};
constexpr image::Rgb kChosen = {255, 190, 60};

// Sizes of the strip below the picture, from top to bottom, in pixels.
constexpr int kMargin = 10;
constexpr int kTextScale = 2;
constexpr int kTextLine = image::kLineHeight * kTextScale;
constexpr int kBarHeight = 40;
constexpr int kLabelHeight = image::kLineHeight + 4;
constexpr int kCurveHeight = 40;
// Fits two words and two numbers of text in a line, and the names of seven actions.
constexpr int kMinWidth = 330;

void fill(image::Image& image, image::Pixel corner, int width, int height, image::Rgb color) {
  if (width > 0 && height > 0) image.paste(image::Image(width, height, color), corner);
}

int text_width(const std::string& text, int scale) {
  return static_cast<int>(text.size()) * image::kCharacterWidth * scale - scale;
}

void draw_right(image::Image& image, image::Pixel right_corner, const std::string& text,
                image::Rgb color) {
  image::draw_text(image, {right_corner.x - text_width(text, kTextScale), right_corner.y}, text,
                   {.color = color, .scale = kTextScale});
}

}  // namespace

void EpisodeRecorder::add(image::Image picture, const train::EpisodeState& state,
                          std::string action) {
  frames_.push_back({std::move(picture), state, std::move(action)});
  frames_.back()
      .state.observation = {};  // memory of the environment, which the next step overwrites
}

bool EpisodeRecorder::has_values() const {
  return std::ranges::any_of(
      frames_, [](const FrameData& f) { return f.state.output && f.state.output->value; });
}

// "forward 93%".
std::string EpisodeRecorder::action_label(const FrameData& data, const std::string& ending) const {
  const auto& output = data.state.output;
  if (!output) return ending;
  if (output->probabilities.empty()) return data.action;
  const auto action = static_cast<std::size_t>(output->action[0]);
  return fmt::format("{} {:.0f}%", action_names_[action], 100 * output->probabilities[action]);
}

void EpisodeRecorder::draw_numbers(image::Image& image, image::Pixel corner, const FrameData& data,
                                   const std::string& ending) const {
  const train::EpisodeState& state = data.state;
  const int right = image.width() - kMargin;
  image::draw_text(image, corner, fmt::format("step {}", state.step),
                   {.color = kInk, .scale = kTextScale});
  draw_right(image, {right, corner.y}, fmt::format("return {:.2f}", state.episode_return), kInk);
  corner.y += kTextLine;
  image::draw_text(image, corner, action_label(data, ending),
                   {.color = kChosen, .scale = kTextScale});
  if (state.output && state.output->value) {
    draw_right(image, {right, corner.y}, fmt::format("value {:.2f}", *state.output->value), kInk);
  }
}

// A column for each action, filled from below.
void EpisodeRecorder::draw_actions(image::Image& image, image::Pixel corner,
                                   const FrameData& data) const {
  constexpr int kGap = 4;
  const auto& output = data.state.output;
  const int count = static_cast<int>(action_names_.size());
  const int room = image.width() - 2 * kMargin + kGap;
  for (int i = 0; i < count; ++i) {
    const int left = corner.x + i * room / count;
    const int width = corner.x + (i + 1) * room / count - kGap - left;
    const bool is_chosen = output && output->action[0] == i;
    const double p = output ? output->probabilities[static_cast<std::size_t>(i)] : 0;
    const int height = static_cast<int>(std::lround(p * kBarHeight));
    fill(image, {left, corner.y}, width, kBarHeight, kTrack);
    fill(image, {left, corner.y + kBarHeight - height}, width, height, is_chosen ? kChosen : kBar);
    const std::string label = action_names_[static_cast<std::size_t>(i)].substr(
        0, static_cast<std::size_t>((width + kGap) / image::kCharacterWidth));
    image::draw_text(image, {left + (width - text_width(label, 1)) / 2, corner.y + kBarHeight + 4},
                     label, {.color = is_chosen ? kChosen : kFaint});
  }
}

// The value over the whole episode, as far as it is known at this image.
void EpisodeRecorder::draw_values(image::Image& image, image::Pixel corner,
                                  std::size_t num_shown) const {
  const int width = image.width() - 2 * kMargin;
  fill(image, corner, width, kCurveHeight, kTrack);
  float low = 0;
  float high = 1;
  for (const FrameData& data : frames_) {
    if (!data.state.output) continue;
    low = std::min(low, data.state.output->value.value_or(0));
    high = std::max(high, data.state.output->value.value_or(0));
  }
  const auto to_y = [&](float value) {
    const float share = (high - value) / (high - low);
    return corner.y + 2 + static_cast<int>(std::lround(share * (kCurveHeight - 6)));
  };
  const int zero = to_y(0);
  const int count = static_cast<int>(frames_.size());
  for (int i = 0; i < static_cast<int>(num_shown); ++i) {
    const auto& output = frames_[static_cast<std::size_t>(i)].state.output;
    if (!output) continue;
    const int left = corner.x + i * width / count;
    const int step_width = std::max(1, corner.x + (i + 1) * width / count - left);
    const int y = to_y(output->value.value_or(0));
    const bool is_now = i + 1 == static_cast<int>(num_shown);
    fill(image, {left, std::min(y, zero)}, step_width, std::abs(zero - y), kArea);
    fill(image, {left, y}, step_width, 2, is_now ? kChosen : kBar);
  }
  fill(image, {corner.x, zero}, width, 1, kFaint);
  image::draw_text(image, {corner.x + 4, zero - image::kLineHeight}, "value", {.color = kInk});
}

std::vector<image::Image> EpisodeRecorder::animation(const std::string& ending) const {
  const int curve = has_values() ? kCurveHeight + kMargin : 0;
  std::vector<image::Image> frames;
  for (const FrameData& data : frames_) {
    const image::Image& picture = data.picture;
    const int strip = kMargin + 2 * kTextLine + kBarHeight + kLabelHeight + kMargin + curve;
    image::Image& frame =
        frames.emplace_back(std::max(kMinWidth, picture.width()), picture.height() + strip, kPaper);
    frame.paste(picture, {(frame.width() - picture.width()) / 2, 0});
    image::Pixel corner = {kMargin, picture.height() + kMargin};
    draw_numbers(frame, corner, data, ending);
    corner.y += 2 * kTextLine;
    draw_actions(frame, corner, data);
    corner.y += kBarHeight + kLabelHeight + kMargin;
    if (curve > 0) draw_values(frame, corner, frames.size());
  }
  return frames;
}

std::string EpisodeRecorder::caption(const FrameData& data, const std::string& ending) const {
  std::string text = fmt::format("{}: {}", data.state.step, action_label(data, ending));
  const auto& output = data.state.output;
  if (output && output->value) text += fmt::format(", value {:.2f}", *output->value);
  return text;
}

image::Image EpisodeRecorder::sheet(const std::string& title, const std::string& ending) const {
  constexpr int kMaxColumns = 6;
  const std::size_t last = frames_.size() - 1;
  const std::size_t distance =
      std::max<std::size_t>(1, (last + kMaxOnSheet - 2) / (kMaxOnSheet - 1));
  std::vector<image::Captioned> pictures;
  for (std::size_t i = 0; i < last; i += distance) {
    pictures.push_back({frames_[i].picture, caption(frames_[i], ending)});
  }
  pictures.push_back({frames_[last].picture, caption(frames_[last], ending)});
  return image::sheet(pictures, {.title = title, .num_columns = kMaxColumns});
}

}  // namespace plr::viewer
