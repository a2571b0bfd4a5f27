// Fuzzes the parsers of levels: --seeds, --levels, files of ids and files of mazes.
#include "plr/maze/text_form.h"
#include "plr/train/training_levels.h"
#include "plr/viewer/level_list.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plr;
  static const fuzz::Scratch scratch;
  const std::string text = fuzz::text_of(data, size);
  const std::filesystem::path path = scratch.path() / "ids.txt";
  fuzz::write_unsynced(path, text);
  EnvSpec spec;
  spec.name = "env";
  spec.last_level = 1000;
  fuzz::refused([&] { viewer::parse_level_list("--seeds", text); });
  fuzz::refused([&] { maze::parse_levels(text, "mazes.txt"); });
  fuzz::refused([&] { train::training_levels(path.string(), spec); });
  // A text that is neither a number nor a range names a file, which any input could.
  if (text.find_first_not_of("0123456789-") == std::string::npos) {
    fuzz::refused([&] { train::training_levels(text, spec); });
  }
  return 0;
}
