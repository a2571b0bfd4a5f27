#include "plr/classic/picture.h"

#include <algorithm>
#include <cmath>

#include "plr/classic/sin_cos.h"

namespace plr::classic {
namespace {

using image::Image;
using image::Rgb;

constexpr Rgb kPaper = {255, 255, 255};
constexpr Rgb kTrack = {160, 160, 160};
constexpr Rgb kCart = {60, 60, 60};
constexpr Rgb kPole = {202, 152, 101};
constexpr Rgb kJoint = {80, 80, 160};

struct Point {
  double x = 0;
  double y = 0;
};

// Draws all points whose distance from the line is at most `radius`, with round ends.
void draw_line(Point from, Point to, double radius, Rgb color, Image& picture) {
  const double dx = to.x - from.x;
  const double dy = to.y - from.y;
  const double square = std::max(dx * dx + dy * dy, 1e-9);
  const auto first = [&](double a, double b) {
    return std::max(0, static_cast<int>(std::min(a, b) - radius));
  };
  const auto last = [&](double a, double b, int size) {
    return std::min(size - 1, static_cast<int>(std::max(a, b) + radius) + 1);
  };
  for (int y = first(from.y, to.y); y <= last(from.y, to.y, picture.height()); ++y) {
    for (int x = first(from.x, to.x); x <= last(from.x, to.x, picture.width()); ++x) {
      const double along = std::clamp(((x - from.x) * dx + (y - from.y) * dy) / square, 0.0, 1.0);
      const double away_x = x - (from.x + along * dx);
      const double away_y = y - (from.y + along * dy);
      if (away_x * away_x + away_y * away_y <= radius * radius) picture.set({x, y}, color);
    }
  }
}

}  // namespace

Image draw(const CartPole::Physics& physics, const CartPole::State& state, int width) {
  const double scale = width / (2 * CartPole::kMaxPosition + 0.6);  // pixels per meter
  const int height = std::max(1, static_cast<int>(2.2 * scale));
  Image picture(width, height, kPaper);
  const Point joint = {width / 2.0 + state[0] * scale, height - 0.45 * scale};
  const auto [sin, cos] = sin_cos(state[2]);
  const double length = 2 * physics.half_length * scale;
  const Point tip = {joint.x + length * sin, joint.y - length * cos};
  draw_line({0, joint.y}, {static_cast<double>(width), joint.y}, std::max(0.5, 0.015 * scale),
            kTrack, picture);
  draw_line({joint.x - 0.2 * scale, joint.y}, {joint.x + 0.2 * scale, joint.y}, 0.1 * scale, kCart,
            picture);
  draw_line(joint, tip, std::max(1.0, (0.03 + 0.1 * physics.pole_mass) * scale), kPole, picture);
  draw_line(joint, joint, std::max(0.8, 0.03 * scale), kJoint, picture);
  return picture;
}

Image draw(const TwinCartPole::Physics& physics, const TwinCartPole::State& state, int width) {
  const Image first = draw(physics, TwinCartPole::of_cart(state, 0), width);
  Image both(width, 2 * first.height(), kPaper);
  both.paste(first, {0, 0});
  both.paste(draw(physics, TwinCartPole::of_cart(state, 1), width), {0, first.height()});
  return both;
}

Image draw(const Pendulum::Physics& physics, const Pendulum::State& state, int width) {
  Image picture(width, width, kPaper);
  const double scale = width / 3.0;  // pixels per meter
  const Point joint = {width / 2.0, width / 2.0};
  const auto [sin, cos] = sin_cos(state[0]);
  const double length = physics.length * scale;
  // Gymnasium draws positive angles to the left.
  const Point tip = {joint.x - length * sin, joint.y - length * cos};
  draw_line(joint, tip, std::max(1.0, 0.1 * physics.mass * scale), {204, 77, 77}, picture);
  draw_line(joint, joint, std::max(1.0, 0.05 * scale), kCart, picture);
  return picture;
}

}  // namespace plr::classic
