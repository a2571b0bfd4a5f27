// Writes states that a loss of power may leave: write_states JOURNAL ROOT_INODE FOLDER COUNT.
//
// The crashes are spread evenly over the journal; what is lost is random.
#include <cstdio>
#include <cstdlib>

#include "tests/power_loss/crash_states.h"

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "write_states JOURNAL ROOT_INODE FOLDER COUNT\n");
    return 2;
  }
  const auto journal = plr::read_journal(argv[1], std::strtoull(argv[2], nullptr, 10));
  const std::filesystem::path folder = argv[3];
  const std::size_t count = std::strtoull(argv[4], nullptr, 10);
  plr::Random random = plr::Streams(1).named("states");
  std::filesystem::create_directory(folder);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t crash = (2 * i + 1) * journal.size() / (2 * count);
    plr::write_state(plr::crash_state(journal, crash, plr::Loss::kSome, random),
                     folder / std::to_string(i));
  }
}
