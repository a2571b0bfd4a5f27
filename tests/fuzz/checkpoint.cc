// Fuzzes the reader of checkpoints, behind the checksum of the manifest.
//
// The input is a manifest without its checksum, a zero byte, and the content of every other file.
#include "plr/run/checkpoint.h"

#include <cstdio>

#include "plr/run/checkpoint_facts.h"
#include "plr/run/layout.h"
#include "plr/run/run_files.h"
#include "tests/fuzz/fuzz.h"

namespace {

std::string with_checksum(const std::string& open_object) {
  char digits[17];
  std::snprintf(
      digits, sizeof digits, "%016llx",
      static_cast<unsigned long long>(plr::checksum(std::as_bytes(std::span(open_object)))));
  return open_object + ",\n  \"checksum\": \"" + digits + "\"\n}\n";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plr;
  namespace layout = run::layout;
  static const fuzz::Scratch scratch;
  const std::filesystem::path newest = scratch.path() / "update-00000012";
  std::filesystem::create_directories(newest / layout::kStates);

  const std::string text = fuzz::text_of(data, size);
  const std::size_t end = std::min(text.find('\0'), text.size());
  const std::string content = text.substr(std::min(end + 1, text.size()));
  fuzz::write_unsynced(newest / layout::kManifest, with_checksum(text.substr(0, end)));
  for (const std::filesystem::path& file :
       {std::filesystem::path(layout::kTensors), std::filesystem::path(layout::kLogSeals),
        layout::kStates / std::filesystem::path("a.bin")}) {
    fuzz::write_unsynced(newest / file, content);
  }
  fuzz::refused([&] {
    const run::Checkpoint checkpoint = run::load_checkpoint(scratch.path());
    try {
      checkpoint.facts.get<run::CheckpointFacts>();
    } catch (const nlohmann::json::exception&) {
      // Reported by the program like any other error.
    }
    ByteReader reader(fuzz::resealed(checkpoint.log_seals), "log_seals", 1);
    run::LogSeal::load(reader);
  });
  return 0;
}
