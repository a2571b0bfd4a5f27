#include "plr/minigrid/render.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "plr/minigrid/text.h"

namespace plr::minigrid {
namespace {

constexpr image::Rgb kBlack = {0, 0, 0};
constexpr image::Rgb kLine = {100, 100, 100};
constexpr image::Rgb kLavaOrange = {255, 128, 0};
constexpr image::Rgb kAgentRed = {255, 0, 0};
constexpr image::Rgb kUnseenGrey = {24, 24, 24};
constexpr double kHighlight = 0.3;  // how far towards white
constexpr int kSamples = 3;         // per pixel and axis, for antialiasing

// Shapes in a tile of side 1, y downwards.  The coordinates are minigrid's.
struct Point {
  double x;
  double y;
};

struct Rectangle {
  double left, right, top, bottom;
  bool contains(Point p) const {
    return p.x >= left && p.x <= right && p.y >= top && p.y <= bottom;
  }
};
constexpr Rectangle kWholeTile = {0, 1, 0, 1};

struct Disc {
  Point center;
  double radius;
  bool contains(Point p) const { return std::hypot(p.x - center.x, p.y - center.y) <= radius; }
};

// A line with round ends.
struct Stroke {
  Point from, to;
  double radius;
  bool contains(Point p) const {
    const Point along = {to.x - from.x, to.y - from.y};
    const double length2 = along.x * along.x + along.y * along.y;
    const double share = ((p.x - from.x) * along.x + (p.y - from.y) * along.y) / length2;
    const double t = std::clamp(share, 0.0, 1.0);
    return Disc{{from.x + t * along.x, from.y + t * along.y}, radius}.contains(p);
  }
};

// The agent, drawn looking to the right, then rotated.
struct Arrow {
  Direction direction;
  bool contains(Point p) const {
    Point q = {p.x - 0.5, p.y - 0.5};
    for (int turn = 0; turn < static_cast<int>(direction); ++turn) q = {q.y, -q.x};
    constexpr Point kTip = {0.87, 0.50};
    constexpr Point kCorner = {0.12, 0.19};  // and its mirror image below
    const double back = q.x + 0.5 - kCorner.x;
    const double half_width = (kTip.y - kCorner.y) * (1 - back / (kTip.x - kCorner.x));
    return back >= 0 && std::abs(q.y) <= half_width;
  }
};

image::Rgb scaled(image::Rgb color, double factor) {
  const auto part = [factor](std::uint8_t c) { return static_cast<std::uint8_t>(c * factor); };
  return {part(color.red), part(color.green), part(color.blue)};
}

image::Rgb towards_white(image::Rgb color) {
  const auto part = [](std::uint8_t c) {
    return static_cast<std::uint8_t>(c + kHighlight * (255 - c));
  };
  return {part(color.red), part(color.green), part(color.blue)};
}

// One tile, drawn at kSamples times its size and then downscaled.
class TileCanvas {
 public:
  explicit TileCanvas(int tile_size)
      : tile_size_(tile_size), large_(tile_size * kSamples, tile_size * kSamples) {}

  template <class Shape>
  void fill(const Shape& shape, image::Rgb color) {
    const int side = large_.width();
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) {
        if (shape.contains({(x + 0.5) / side, (y + 0.5) / side})) large_.set({x, y}, color);
      }
    }
  }

  void highlight() {
    for (int y = 0; y < large_.height(); ++y) {
      for (int x = 0; x < large_.width(); ++x) large_.set({x, y}, towards_white(large_.at({x, y})));
    }
  }

  image::Image shrunk() const {
    image::Image tile(tile_size_, tile_size_);
    for (int y = 0; y < tile_size_; ++y) {
      for (int x = 0; x < tile_size_; ++x) tile.set({x, y}, mean_at({x, y}));
    }
    return tile;
  }

 private:
  image::Rgb mean_at(image::Pixel p) const {
    int red = 0;
    int green = 0;
    int blue = 0;
    for (int y = 0; y < kSamples; ++y) {
      for (int x = 0; x < kSamples; ++x) {
        const image::Rgb sample = large_.at({p.x * kSamples + x, p.y * kSamples + y});
        red += sample.red;
        green += sample.green;
        blue += sample.blue;
      }
    }
    constexpr int kCount = kSamples * kSamples;
    return {static_cast<std::uint8_t>(red / kCount), static_cast<std::uint8_t>(green / kCount),
            static_cast<std::uint8_t>(blue / kCount)};
  }

  int tile_size_;
  image::Image large_;
};

void draw_lava(TileCanvas& canvas) {
  canvas.fill(kWholeTile, kLavaOrange);
  for (int wave = 0; wave < 3; ++wave) {
    const double high = 0.3 + 0.2 * wave;
    const double low = high + 0.1;
    const std::array<Point, 5> points = {
        {{0.1, high}, {0.3, low}, {0.5, high}, {0.7, low}, {0.9, high}}};
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      canvas.fill(Stroke{points[i], points[i + 1], 0.03}, kBlack);
    }
  }
}

void draw_door(TileCanvas& canvas, DoorState state, image::Rgb color) {
  switch (state) {
    case DoorState::kOpen:
      canvas.fill(Rectangle{0.88, 1.00, 0.00, 1.00}, color);
      canvas.fill(Rectangle{0.92, 0.96, 0.04, 0.96}, kBlack);
      break;
    case DoorState::kClosed:
      canvas.fill(kWholeTile, color);
      canvas.fill(Rectangle{0.04, 0.96, 0.04, 0.96}, kBlack);
      canvas.fill(Rectangle{0.08, 0.92, 0.08, 0.92}, color);
      canvas.fill(Rectangle{0.12, 0.88, 0.12, 0.88}, kBlack);
      canvas.fill(Disc{{0.75, 0.50}, 0.08}, color);  // the handle
      break;
    case DoorState::kLocked:
      canvas.fill(kWholeTile, color);
      canvas.fill(Rectangle{0.06, 0.94, 0.06, 0.94}, scaled(color, 0.45));
      canvas.fill(Rectangle{0.52, 0.75, 0.50, 0.56}, color);  // the keyhole
      break;
  }
}

void draw_key(TileCanvas& canvas, image::Rgb color) {
  canvas.fill(Rectangle{0.50, 0.63, 0.31, 0.88}, color);
  canvas.fill(Rectangle{0.38, 0.50, 0.59, 0.66}, color);  // two teeth
  canvas.fill(Rectangle{0.38, 0.50, 0.81, 0.88}, color);
  canvas.fill(Disc{{0.56, 0.28}, 0.190}, color);  // the ring
  canvas.fill(Disc{{0.56, 0.28}, 0.064}, kBlack);
}

void draw_box(TileCanvas& canvas, image::Rgb color) {
  canvas.fill(Rectangle{0.12, 0.88, 0.12, 0.88}, color);
  canvas.fill(Rectangle{0.18, 0.82, 0.18, 0.82}, kBlack);
  canvas.fill(Rectangle{0.16, 0.84, 0.47, 0.53}, color);
}

void draw_object(TileCanvas& canvas, Cell cell) {
  const image::Rgb color = rgb_of(cell.color);
  switch (cell.kind) {
    case Kind::kEmpty:
    case Kind::kAgent:  // a tile stores the agent separately
      break;
    case Kind::kUnseen:
      canvas.fill(kWholeTile, kUnseenGrey);
      break;
    case Kind::kWall:
    case Kind::kGoal:
      canvas.fill(kWholeTile, color);
      break;
    case Kind::kFloor:
      canvas.fill(Rectangle{0.031, 1, 0.031, 1}, scaled(color, 0.5));
      break;
    case Kind::kDoor:
      draw_door(canvas, static_cast<DoorState>(cell.state), color);
      break;
    case Kind::kKey:
      draw_key(canvas, color);
      break;
    case Kind::kBall:
      canvas.fill(Disc{{0.5, 0.5}, 0.31}, color);
      break;
    case Kind::kBox:
      draw_box(canvas, color);
      break;
    case Kind::kLava:
      draw_lava(canvas);
      break;
  }
}

image::Image rendered(const Tile& tile, const RenderOptions& options) {
  TileCanvas canvas(options.tile_size);
  // Grid lines along the upper and left edges.
  canvas.fill(Rectangle{0, 0.031, 0, 1}, kLine);
  canvas.fill(Rectangle{0, 1, 0, 0.031}, kLine);
  draw_object(canvas, tile.cell);
  if (tile.agent) canvas.fill(Arrow{*tile.agent}, kAgentRed);
  if (options.highlight && tile.is_seen) canvas.highlight();
  return canvas.shrunk();
}

}  // namespace

image::Rgb rgb_of(Color color) {
  constexpr std::array<image::Rgb, 6> kColors = {
      {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {112, 39, 195}, {255, 255, 0}, {100, 100, 100}}};
  return kColors[static_cast<std::size_t>(color)];
}

image::Image render(const TileMap& map, const RenderOptions& options) {
  if (options.tile_size < 1 || options.tile_size > 256) {
    throw std::invalid_argument(text("tile_size must be from 1 to 256, not ", options.tile_size));
  }
  image::Image picture(map.width * options.tile_size, map.height * options.tile_size);
  // A level has few distinct tiles: each is drawn once and reused.
  std::vector<std::pair<Tile, image::Image>> drawn;
  for (int y = 0; y < map.height; ++y) {
    for (int x = 0; x < map.width; ++x) {
      const Tile& tile = map.at({x, y});
      auto known = std::ranges::find(drawn, tile, &std::pair<Tile, image::Image>::first);
      if (known == drawn.end()) {
        drawn.emplace_back(tile, rendered(tile, options));
        known = drawn.end() - 1;
      }
      picture.paste(known->second, {x * options.tile_size, y * options.tile_size});
    }
  }
  return picture;
}

}  // namespace plr::minigrid
