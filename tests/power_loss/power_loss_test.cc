// A run that loses power at any instant resumes bitwise identically, or says why it cannot.
//
// The run has the real files: logs, settings, level table and checkpoints, written in the order of
// Trainer; only the agent is replaced by a number. recorder.cc records its operations,
// crash_states.h makes states of them, and each is resumed and finished.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

#include "plr/base/bytes.h"
#include "plr/base/files.h"
#include "plr/run/checkpoint.h"
#include "plr/run/checkpoint_facts.h"
#include "plr/run/layout.h"
#include "plr/run/run_files.h"
#include "tests/power_loss/crash_states.h"
#include "tests/support/temporary_directory.h"

namespace plr::run {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kNumUpdates = 6;
constexpr std::int64_t kCheckpointInterval = 2;

// The files of train/trainer.cc, in its order.
class SmallRun {
 public:
  explicit SmallRun(fs::path folder) : folder_(std::move(folder)) {}

  void begin() {
    make_directories(folder_);
    files_.emplace(folder_);
    if (RunFiles::has_records(folder_)) throw std::runtime_error("logs of another run");
    save();
    write_text(folder_ / layout::kConfig, "settings");
  }

  void resume() {
    if (read_text(folder_ / layout::kConfig) != "settings") {
      throw std::logic_error("config.toml is torn");
    }
    files_.emplace(folder_);
    const Checkpoint checkpoint = load_checkpoint(folder_ / layout::kCheckpoints);
    update_ = checkpoint.update;
    ByteReader reader(checkpoint.states.at("agent"), "agent", 1);
    agent_ = reader.number<std::uint64_t>();
    files_->truncate_to(checkpoint.facts.get<CheckpointFacts>().sizes, checkpoint.log_seals);
    remove_leftovers(folder_ / layout::kCheckpoints);
  }

  void finish() {
    while (update_ < kNumUpdates) {
      ++update_;
      agent_ = agent_ * 6364136223846793005U + 1442695040888963407U;
      files_->append(LogRecord{.update = update_, .steps = 100 * update_, .value_loss = value()});
      if (update_ % 3 == 0) files_->append(EvalRecord{.update = update_, .test_return = value()});
      if (update_ % kCheckpointInterval == 0) save();
    }
  }

 private:
  double value() const { return static_cast<double>(agent_ >> 11); }

  void save() {
    write_text(folder_ / layout::kLevelTable, "score\n" + std::to_string(agent_) + "\n");
    ByteWriter agent;
    agent.number(agent_);
    Checkpoint checkpoint{.update = update_,
                          .facts = {},
                          .states = {{"agent", agent.seal("agent", 1)}},
                          .tensors = std::vector<std::byte>(1000, std::byte(agent_ >> 56))};
    checkpoint.facts = CheckpointFacts{.steps = 100 * update_, .sizes = files_->sync()};
    checkpoint.log_seals = files_->seals();
    save_checkpoint(folder_ / layout::kCheckpoints, checkpoint);
  }

  fs::path folder_;
  std::optional<RunFiles> files_;
  std::int64_t update_ = 0;
  std::uint64_t agent_ = 1;
};

// All results of a run. TensorBoard's events hold the time.
struct Result {
  explicit Result(const fs::path& folder)
      : log(read_text(folder / layout::kLog)),
        eval(read_text(folder / layout::kEvaluations)),
        levels(read_text(folder / layout::kLevelTable)),
        checkpoint(load_checkpoint(folder / layout::kCheckpoints)) {}

  bool operator==(const Result& other) const {
    return log == other.log && eval == other.eval && levels == other.levels &&
           checkpoint.update == other.checkpoint.update &&
           checkpoint.states == other.checkpoint.states &&
           checkpoint.tensors == other.checkpoint.tensors;
  }

  std::string log, eval, levels;
  Checkpoint checkpoint;
};

// In memory, if possible: thousands of small files are written.
void use_memory() {
  if (fs::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 1);
}

class PowerLossTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { use_memory(); }

  PowerLossTest() {
    const fs::path root = fs::canonical(temporary_.path()) / "disk";
    fs::create_directory(root);
    struct stat status {};
    ::stat(root.c_str(), &status);
    ::setenv("PLR_JOURNAL", (temporary_ / "journal").c_str(), 1);
    ::setenv("PLR_JOURNAL_ROOT", root.c_str(), 1);
    SmallRun whole(root / "run");
    whole.begin();
    whole.finish();
    ::unsetenv("PLR_JOURNAL");
    expected_.emplace(root / "run");
    journal_ = read_journal(temporary_ / "journal", status.st_ino);
  }

  // Number of operations after which the run can be resumed: config.toml and its name are synced.
  std::size_t begun() const {
    std::size_t i = 0;
    while (journal_[i].kind != Operation::kRename || journal_[i].to != layout::kConfig) ++i;
    while (journal_[i].kind != Operation::kSync) ++i;
    return i + 1;
  }

  // "" if the run continues as it should; otherwise what went wrong.
  std::string problem(const DiskState& state, bool may_be_absent) {
    const fs::path disk = temporary_ / "state";
    fs::remove_all(disk);
    write_state(state, disk);
    const fs::path folder = disk / "run";
    try {
      SmallRun resumed(folder);
      if (fs::exists(folder / layout::kConfig)) {
        resumed.resume();
      } else if (may_be_absent) {
        resumed.begin();
      } else {
        return "the run is lost";
      }
      resumed.finish();
    } catch (const std::exception& error) {
      return error.what();
    }
    return Result(folder) == *expected_ ? "" : "the run differs";
  }

  TemporaryDirectory temporary_;
  std::optional<Result> expected_;
  std::vector<Operation> journal_;
};

TEST_F(PowerLossTest, LosesNothingThatACheckpointHolds) {
  Random random = Streams(1).named("states");
  constexpr int kNumRandom = 4;
  std::size_t num_states = 0;
  for (std::size_t count = 0; count <= journal_.size(); ++count) {
    for (int i = 0; i < 4 + kNumRandom; ++i) {
      const Loss loss = i < 4 ? static_cast<Loss>(i) : Loss::kSome;
      const DiskState state = crash_state(journal_, count, loss, random);
      ASSERT_EQ(problem(state, count < begun()), "")
          << "after operation " << count << " of " << journal_.size() << ", loss " << i;
      ++num_states;
    }
  }
  EXPECT_GE(num_states, 1000U);
}

// Without one of the syncs, a state is found in which the run is lost or differs: no sync is
// missing above because the states are too few to notice.
TEST_F(PowerLossTest, NeedsEverySync) {
  const std::set<std::string> files = {"log.jsonl",           "agent.bin",  "tensors.safetensors",
                                       "checkpoint.json",     "logs.seal",  "states",
                                       "update-00000004.tmp", "checkpoint", "run"};
  for (const std::string& name : files) {
    Random random = Streams(2).named(name);
    const auto is_ignored = [&](const Operation& sync) {
      return name_of(journal_, sync.object) == name;
    };
    std::string found;
    for (std::size_t count = begun(); count <= journal_.size() && found.empty(); ++count) {
      for (int i = 0; i < 6 && found.empty(); ++i) {
        const Loss loss = i < 4 ? static_cast<Loss>(i) : Loss::kSome;
        found = problem(crash_state(journal_, count, loss, random, is_ignored), false);
      }
    }
    EXPECT_NE(found, "") << "no state shows that " << name << " is synced";
  }
}

}  // namespace
}  // namespace plr::run
