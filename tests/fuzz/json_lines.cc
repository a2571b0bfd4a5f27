// Fuzzes the readers of a run's logs and tables.
#include "plr/run/record_files.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plr;
  static const fuzz::Scratch scratch;
  const std::filesystem::path path = scratch.path() / "records";
  fuzz::write_unsynced(path, fuzz::text_of(data, size));
  fuzz::refused([&] {
    for (const auto& record : run::read_records<run::LogRecord>(path).records) {
      run::record_to_json(record);
      run::record_scalars(record);
    }
    run::read_records<run::EvalRecord>(path);
    run::read_records<run::LevelsRecord>(path);
    run::read_last_record<run::LogRecord>(path);
    run::read_last_record<run::EvalRecord>(path);
    run::level_table_to_csv(run::read_level_table(path).records);
    run::cvar_to_csv(run::read_cvar(path).records);
  });
  return 0;
}
