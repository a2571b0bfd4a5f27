// Runs a fuzz target on the files of its corpus, without libFuzzer: FUZZ_TARGET FOLDER.
#include <cstdio>

#include "tests/fuzz/fuzz.h"

int main(int argc, char** argv) {
  int count = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      std::printf("%s\n", entry.path().c_str());
      std::fflush(stdout);  // names the file if the target crashes
      const std::string text = plr::read_text(entry.path());
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
      ++count;
    }
  }
  LLVMFuzzerTestOneInput(nullptr, 0);
  std::printf("%d inputs\n", count);
  return count > 0 ? 0 : 1;
}
