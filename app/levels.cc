// plr levels: draws levels of an environment, in the terminal or as a picture.
#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/plugin_option.h"
#include "app/procgen_setup.h"
#include "app/verbs.h"
#include "plr/base/counted.h"
#include "plr/base/fields.h"
#include "plr/catalog/make_env.h"
#include "plr/image/png.h"
#include "plr/image/sheet.h"
#include "plr/maze/text_form.h"
#include "plr/terminal/print.h"
#include "plr/terminal/screen.h"
#include "plr/viewer/level_gallery.h"
#include "plr/viewer/level_list.h"
#ifdef PLR_WITH_TORCH
#include "plr/viewer/augment_sheet.h"
#endif

namespace plr::app {
namespace {

using viewer::LevelGallery;

struct LevelsArguments {
  std::string env;
  std::string file;   // of levels of the maze
  std::string seeds;  // empty: 0-11, or all levels of the file
  std::string out;
  std::string observation = "full";
  std::string seeding = "default";
  int tile_size = 32;
  int num_columns = 4;
  bool highlight = false;
  bool augment = false;
};

// The environment and the levels to draw.
struct Drawn {
  std::string env;
  std::vector<LevelId> levels;
};

Drawn drawn_levels(const LevelsArguments& arguments) {
  if (arguments.env.empty() == arguments.file.empty()) {
    throw std::invalid_argument("give an environment (plr envs lists them) or --file FILE");
  }
  std::string env = arguments.env;
  std::string seeds = arguments.seeds.empty() ? "0-11" : arguments.seeds;
  if (!arguments.file.empty()) {
    env = "maze/file:" + arguments.file;
    const std::size_t count = maze::read_levels(arguments.file).size();
    if (arguments.seeds.empty()) seeds = fmt::format("0-{}", count - 1);
  }
  return {env, viewer::parse_level_list("--seeds", seeds)};
}

LevelGallery make_gallery(const LevelsArguments& arguments) {
  const EnvOptions options = {
      .num_slots = 1,
      .observation = enum_from<Observation>("--observation", arguments.observation),
      .seeding = enum_from<LevelSeeding>("--seeding", arguments.seeding)};
  const auto [env, levels] = drawn_levels(arguments);
  prepare_procgen(env);
  // About as many pixels per level as a terminal has characters.
  FrameOptions frame = {.tile_size = 4};
  if (!arguments.out.empty()) {
    frame = {.tile_size = arguments.tile_size, .highlight = arguments.highlight};
  }
  frame.observation = options.observation;
  return LevelGallery(catalog::make_env(env, options), frame, levels);
}

void print_levels(const LevelsArguments& arguments, const LevelGallery& gallery) {
  const terminal::Colors colors = terminal::screen_colors();
  if (!gallery.has_tiles() && colors == terminal::Colors::kNone) {
    throw std::invalid_argument(
        fmt::format("levels of {} are pictures: write them with --out FILE, or use a terminal with "
                    "colors",
                    arguments.env));
  }
  terminal::print("{}\n{}", gallery.title(), gallery.text(colors, terminal::screen_width()));
  if (gallery.has_tiles()) terminal::print("\n{}\n", gallery.legend(colors));
}

void write_sheet(const LevelsArguments& arguments, const LevelGallery& gallery) {
  std::vector<image::Captioned> pictures = gallery.pictures();
  int num_columns = arguments.num_columns;
#ifdef PLR_WITH_TORCH
  if (arguments.augment) {
    pictures = viewer::augmented_pictures(pictures, /*seed=*/1);
    num_columns = viewer::kAugmentedColumns;
  }
#endif
  image::write_png(arguments.out,
                   image::sheet(pictures, {.title = gallery.title(), .num_columns = num_columns}));
  terminal::print("{} in {}\n", counted(gallery.size(), "level"), arguments.out);
}

void draw_levels(const LevelsArguments& arguments) {
  check_value("--tile-size", arguments.tile_size, from_to(4, 128));
  check_value("--columns", arguments.num_columns, from_to(1, 100));
  if (arguments.augment && arguments.out.empty()) {
    throw std::invalid_argument("--augment requires --out FILE");
  }
  (arguments.out.empty() ? print_levels : write_sheet)(arguments, make_gallery(arguments));
}

}  // namespace

void add_levels(CLI::App& program) {
  const auto arguments = std::make_shared<LevelsArguments>();
  CLI::App* verb = program.add_subcommand("levels", "draw levels, in the terminal or as a picture");
  verb->group("Look");
  verb->add_option("ENV", arguments->env, "an environment; plr envs lists them");
  verb->add_option("--file", arguments->file,
                   "the levels of a file of mazes (docs/maze.md) instead of an environment's")
      ->type_name("FILE");
  add_plugin_option(*verb);
  verb->add_option("--seeds", arguments->seeds,
                   "levels, such as 0-11 (default) or 3,7,20-29; with --file: all")
      ->type_name("LIST");
  verb->add_option("--out", arguments->out, "write a picture (PNG) instead of text")
      ->type_name("FILE");
  verb->add_option("--observation", arguments->observation,
                   "full (default): the whole level; view: the part that the agent observes")
      ->type_name("WHAT");
  verb->add_option("--seeding", arguments->seeding,
                   "how seeds become levels: default, legacy (that of the paper), pcg64")
      ->type_name("HOW");
  verb->add_option("--tile-size", arguments->tile_size,
                   "with --out: pixels per tile; a Procgen level counts as 16 x 16 tiles (32)")
      ->type_name("N");
  verb->add_option("--columns", arguments->num_columns, "with --out: levels per row (4)")
      ->type_name("N");
  verb->add_flag("--highlight", arguments->highlight,
                 "with --out: brighten the part that the agent observes");
#ifdef PLR_WITH_TORCH
  verb->add_flag("--augment", arguments->augment,
                 "with --out: each level and its eight augmentations of DrAC, one row per level");
#endif
  verb->footer(
      "Examples:\n"
      "  plr levels minigrid/MultiRoom-N4-Random --seeds 0-5\n"
      "  plr levels minigrid/ObstructedMazeGamut-Hard --seeds 0-8 --out levels.png --columns 3\n"
      "  plr levels procgen/coinrun --out levels.png --tile-size 16\n"
      "  plr levels --file mine.txt");
  verb->callback([arguments] { draw_levels(*arguments); });
}

}  // namespace plr::app
