// Fuzzes the reader of experiment files.
#include "plr/experiment/plan_file.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  plr::fuzz::refused(
      [&] { plr::experiment::parse_plan_file(plr::fuzz::text_of(data, size), "plan.toml"); });
  return 0;
}
