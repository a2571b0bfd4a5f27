// plr levels: what do the levels of an environment look like?
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#ifdef PLR_WITH_TORCH
#include "app/augment_sheet.h"
#endif
#include "app/level_list.h"
#include "app/procgen_setup.h"
#include "app/terminal_art.h"
#include "app/verbs.h"
#include "plr/base/fields.h"
#include "plr/catalog/make_env.h"
#include "plr/catalog/render.h"
#include "plr/image/png.h"
#include "plr/image/sheet.h"

namespace plr::app {
namespace {

struct LevelsArguments {
  std::string env;
  std::string seeds = "0-11";
  std::string out;
  std::string observation = "full";
  std::string seeding = "default";
  int tile_size = 32;
  int num_columns = 4;
  bool highlight = false;
  bool augment = false;
};

struct DrawnLevel {
  LevelId seed = 0;
  std::optional<int> difficulty;
  std::string mission;
  std::optional<image::TextPicture> text;  // where it is made of tiles
  image::Image picture;
};

// The levels, and the environment that they are of.
struct Drawing {
  std::unique_ptr<VectorEnv> env;
  std::vector<DrawnLevel> levels;
};

// As many pixels of a picture as a terminal has characters.
constexpr FrameOptions kTerminalFrame = {.tile_size = 4};

Drawing drawn(const LevelsArguments& arguments) {
  const EnvOptions options = {
      .num_slots = 1,
      .observation = enum_from<Observation>("--observation", arguments.observation),
      .seeding = enum_from<LevelSeeding>("--seeding", arguments.seeding)};
  const std::vector<LevelId> seeds = parse_level_list("--seeds", arguments.seeds);
  prepare_procgen(arguments.env);
  Drawing drawing = {catalog::make_env(arguments.env, options), {}};
  VectorEnv& env = *drawing.env;
  StepBuffers buffers(env.spec());
  const auto observation = buffers.batch().observations;
  FrameOptions frame = kTerminalFrame;
  if (!arguments.out.empty()) {
    frame = {.tile_size = arguments.tile_size, .highlight = arguments.highlight};
  }
  frame.observation = options.observation;
  for (const LevelId seed : seeds) {
    const Start start = {0, seed};
    env.start({&start, 1}, buffers.batch());
    drawing.levels.push_back({.seed = seed,
                              .difficulty = env.difficulty(seed),
                              .mission = std::string(env.mission(0)),
                              .text = catalog::render_text(env, 0, options.observation),
                              .picture = catalog::render_frame(env, 0, observation, frame)});
  }
  return drawing;
}

std::string caption_of(const DrawnLevel& level, const VectorEnv& env) {
  std::string caption = fmt::format("seed {}", level.seed);
  if (level.difficulty) {
    caption += fmt::format(", {} of {}", *level.difficulty + 1, env.spec().num_difficulties);
  }
  return caption;
}

// The mission, if it is the same everywhere.
std::optional<std::string> common_mission(std::span<const DrawnLevel> levels) {
  const auto differs = [&](const DrawnLevel& l) { return l.mission != levels[0].mission; };
  if (std::ranges::any_of(levels, differs)) return std::nullopt;
  return levels[0].mission;
}

std::string title_of(const std::string& env, std::span<const DrawnLevel> levels) {
  const auto mission = common_mission(levels);
  return mission && !mission->empty() ? fmt::format("{}: {}", env, *mission) : env;
}

// What one sees of a level in a terminal, and how many characters wide that is.
struct LevelArt {
  std::vector<std::string> lines;
  int width = 0;
};

LevelArt art_of(const DrawnLevel& level, TerminalColors colors) {
  if (level.text) {
    return {terminal_art(*level.text, colors), level.text->width * tile_width(colors)};
  }
  return {terminal_art(level.picture, colors), level.picture.width()};
}

// Side by side, as many as the line holds; missions that differ are listed below them.
void print_row(std::span<const DrawnLevel> row, const VectorEnv& env, int column_width,
               bool with_missions, TerminalColors colors) {
  std::string captions;
  std::vector<std::string> lines;
  for (const DrawnLevel& level : row) {
    captions += fmt::format("{:<{}}", caption_of(level, env), column_width);
    const LevelArt art = art_of(level, colors);
    lines.resize(art.lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      lines[i] += art.lines[i] + std::string(column_width - art.width, ' ');
    }
  }
  fmt::print("\n{}\n", trimmed(captions));
  for (const std::string& line : lines) fmt::print("{}\n", trimmed(line));
  if (!with_missions) return;
  for (const DrawnLevel& level : row) fmt::print("seed {}: {}\n", level.seed, level.mission);
}

void print_levels(const LevelsArguments& arguments, const Drawing& drawing) {
  const TerminalColors colors = terminal_colors();
  const std::span<const DrawnLevel> levels = drawing.levels;
  const bool has_tiles = levels[0].text.has_value();
  if (!has_tiles && colors == TerminalColors::kNone) {
    throw std::invalid_argument(
        fmt::format("levels of {} are pictures: write them with --out FILE, or look at them in a "
                    "terminal with colors",
                    arguments.env));
  }
  auto column_width = static_cast<std::size_t>(art_of(levels[0], colors).width);
  for (const DrawnLevel& level : levels) {
    column_width = std::max(column_width, caption_of(level, *drawing.env).size());
  }
  column_width += 2;
  const auto in_a_row =
      std::max<std::size_t>(1, static_cast<std::size_t>(terminal_width()) / column_width);
  fmt::print("{}\n", title_of(arguments.env, levels));
  const bool with_missions = !common_mission(levels);
  for (std::size_t i = 0; i < levels.size(); i += in_a_row) {
    print_row(levels.subspan(i, std::min(in_a_row, levels.size() - i)), *drawing.env,
              static_cast<int>(column_width), with_missions, colors);
  }
  if (has_tiles) fmt::print("\n{}\n", terminal_legend(catalog::text_legend(*drawing.env), colors));
}

void write_sheet(const LevelsArguments& arguments, const Drawing& drawing) {
  const std::span<const DrawnLevel> levels = drawing.levels;
  const bool with_missions = !common_mission(levels);
  std::vector<image::Captioned> pictures;
  for (const DrawnLevel& level : levels) {
    std::string caption = caption_of(level, *drawing.env);
    if (with_missions) caption += ": " + level.mission;
    pictures.push_back({level.picture, caption});
  }
  int num_columns = arguments.num_columns;
#ifdef PLR_WITH_TORCH
  if (arguments.augment) {
    pictures = augmented_pictures(pictures, /*seed=*/1);
    num_columns = kAugmentedColumns;
  }
#endif
  image::write_png(arguments.out, image::sheet(pictures, {.title = title_of(arguments.env, levels),
                                                          .num_columns = num_columns}));
  fmt::print("{} levels in {}\n", levels.size(), arguments.out);
}

void draw(const LevelsArguments& arguments) {
  check_value("--tile-size", arguments.tile_size, from_to(4, 128));
  check_value("--columns", arguments.num_columns, from_to(1, 100));
  if (arguments.augment && arguments.out.empty()) {
    throw std::invalid_argument("--augment draws a picture: say where with --out FILE");
  }
  const Drawing drawing = drawn(arguments);
  (arguments.out.empty() ? print_levels : write_sheet)(arguments, drawing);
}

}  // namespace

void add_levels(CLI::App& program) {
  const auto arguments = std::make_shared<LevelsArguments>();
  CLI::App* verb = program.add_subcommand("levels", "draw levels, in the terminal or as a picture");
  verb->group("Look");
  verb->add_option("ENV", arguments->env, "an environment; plr envs lists them")->required();
  verb->add_option("--seeds", arguments->seeds, "which levels, like 0-11 (default) or 3,7,20-29")
      ->type_name("LIST");
  verb->add_option("--out", arguments->out, "write a picture (PNG) instead of drawing here")
      ->type_name("FILE");
  verb->add_option("--observation", arguments->observation,
                   "full (default): the whole level; view: what the agent sees")
      ->type_name("WHAT");
  verb->add_option("--seeding", arguments->seeding,
                   "how seeds become levels: default, legacy (the paper's runs), pcg64")
      ->type_name("HOW");
  verb->add_option("--tile-size", arguments->tile_size,
                   "of a picture: pixels per tile, of which Procgen has 16 x 16 (32)")
      ->type_name("N");
  verb->add_option("--columns", arguments->num_columns, "of a picture: levels per row (4)")
      ->type_name("N");
  verb->add_flag("--highlight", arguments->highlight, "of a picture: brighten what the agent sees");
#ifdef PLR_WITH_TORCH
  verb->add_flag("--augment", arguments->augment,
                 "of a picture: each level also in the eight ways of DrAC, one row a level");
#endif
  verb->footer(
      "Examples:\n"
      "  plr levels minigrid/MultiRoom-N4-Random --seeds 0-5\n"
      "  plr levels minigrid/ObstructedMazeGamut-Hard --seeds 0-8 --out levels.png --columns 3\n"
      "  plr levels procgen/coinrun --out levels.png --tile-size 16");
  verb->callback([arguments] { draw(*arguments); });
}

}  // namespace plr::app
