// Levels of an environment beside each other, as text for a terminal or as pictures.
//
//   const LevelGallery gallery(make_env(name, options), {.tile_size = 32}, {0, 1, 2});
//   print(gallery.text(screen_colors(), screen_width()));
//   write_png("levels.png", sheet(gallery.pictures(), {}));
//
// Movable; not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plr/core/level.h"
#include "plr/env/env_options.h"
#include "plr/env/family.h"
#include "plr/env/vector_env.h"
#include "plr/image/sheet.h"
#include "plr/image/text_picture.h"
#include "plr/terminal/screen.h"
#include "plr/viewer/text_art.h"

namespace plr::viewer {

class LevelGallery {
 public:
  // Starts each level in slot 0 of `env` and draws it.  REQUIRES: there is at least one level.
  LevelGallery(std::unique_ptr<VectorEnv> env, const FrameOptions& options,
               std::span<const LevelId> levels);

  std::size_t size() const { return levels_.size(); }
  // Whether the levels are made of tiles; if not, text() needs colors.
  bool has_tiles() const { return levels_[0].text.has_value(); }
  // The environment's name, with the mission if all levels have the same.
  std::string title() const;
  // The meaning of the characters of text(); empty if the levels are not made of tiles.
  std::string legend(terminal::Colors colors) const;

  // The levels with captions in rows of at most `width` columns; missions that differ are listed
  // below each row.
  std::string text(terminal::Colors colors, int width) const;

  // A picture per level, with a caption that includes the mission if missions differ.
  std::vector<image::Captioned> pictures() const;

 private:
  struct DrawnLevel {
    LevelId seed = 0;
    std::string name;  // empty if it has none
    std::optional<int> difficulty;
    std::string mission;
    std::optional<image::TextPicture> text;  // none if it is not made of tiles
    image::Image picture;
  };

  static TextArt level_art(const DrawnLevel& level, terminal::Colors colors);
  // Its name or seed.
  static std::string label(const DrawnLevel& level);
  std::string caption(const DrawnLevel& level) const;
  std::string row(std::span<const DrawnLevel> levels, int column_width,
                  terminal::Colors colors) const;
  bool has_one_mission() const;

  std::unique_ptr<VectorEnv> env_;
  std::vector<DrawnLevel> levels_;
};

}  // namespace plr::viewer
