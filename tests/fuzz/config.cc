// Fuzzes the reader of settings files (config.toml) and the parsers of values.
#include "plr/base/fields.h"
#include "plr/core/level_replay_config.h"
#include "plr/env/env_options.h"
#include "plr/run/settings_file.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plr;
  std::vector<run::Setting> settings;
  fuzz::refused(
      [&] { settings = run::parse_flat_settings(fuzz::text_of(data, size), "config.toml"); });
  LevelReplayConfig replay;
  EnvOptions env;
  for (const run::Setting& setting : settings) {
    fuzz::refused([&] { set_field(replay, setting.name, setting.value); });
    fuzz::refused([&] { set_field(env, setting.name, setting.value); });
    fuzz::refused([&] { run::toml_string(setting.value); });
  }
  return 0;
}
