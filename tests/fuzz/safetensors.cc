// Fuzzes the reader of safetensors files.
#include "plr/run/safetensors.h"

#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = plr::fuzz::bytes_of(data, size);
  plr::fuzz::refused([&] {
    const plr::run::Safetensors file({bytes.begin(), bytes.end()});
    // What was accepted is complete: it can be written again.
    plr::run::to_safetensors(file.tensors(), file.metadata());
  });
  return 0;
}
