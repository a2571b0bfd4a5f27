// Fuzzes the reader of exported results. The input is the files of a folder, each after a line
// "== NAME".
#include "plr/report/results.h"

#include "plr/report/csv_files.h"
#include "plr/report/difficulty.h"
#include "plr/report/training_log.h"
#include "tests/fuzz/fuzz.h"

namespace {

// The text between the line "== NAME" and the next such line; all of it if there is no such line.
std::string_view part_of(std::string_view text, std::string_view name) {
  const std::string heading = "== " + std::string(name) + "\n";
  const std::size_t begin = text.find(heading);
  if (begin == std::string_view::npos) return text;
  const std::string_view rest = text.substr(begin + heading.size());
  return rest.substr(0, rest.find("== "));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plr;
  static const fuzz::Scratch scratch;
  const std::string text(fuzz::text_of(data, size));
  for (const std::string_view name :
       {report::kSettingsFile, report::kRunsFile, report::kEvaluationsFile, report::kTrainingFile,
        report::kDifficultyFile}) {
    fuzz::write_unsynced(scratch.path() / name, part_of(text, name));
  }
  fuzz::refused([&] {
    const std::vector<report::RunData> runs = report::read_results(scratch.path());
    if (runs.empty()) return;
    const report::Analysis analysis = report::analyze(runs);
    report::runs_csv(runs, analysis);
    report::training_csv(runs, analysis);
    report::difficulty_curves(runs, analysis);
  });
  return 0;
}
