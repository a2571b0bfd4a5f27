// Runs whose folder was changed by hand between two processes, or is not one's own.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "plr/base/files.h"
#include "plr/run/safetensors.h"
#include "plr/train/agent.h"
#include "plr/train/run_settings.h"
#include "plr/train/trainer_testing.h"
#include "tests/support/error_message.h"

namespace plr::train {
namespace {

class TamperedRunTest : public TrainerTest {
 protected:
  TamperedRunTest() {
    Trainer trainer(tiny(), folder());
    train_for(trainer, 4);
  }

  fs::path folder() const { return run("run"); }

  // Replaces the first `from` in a file.
  void edit(std::string_view name, const std::string& from, const std::string& to) const {
    std::string text = read_text(folder() / name);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    write_text(folder() / name, text.replace(at, from.size(), to));
  }

  // Changes the facts or tensors of the newest checkpoint, with valid checksums.
  template <class Change>
  void reseal(Change change) const {
    run::Checkpoint checkpoint = run::load_checkpoint(folder() / run::layout::kCheckpoints);
    change(checkpoint);
    run::save_checkpoint(folder() / run::layout::kCheckpoints, checkpoint);
  }
};

TEST_F(TamperedRunTest, IsRefusedIfALogWasChanged) {
  const std::string log = read_text(folder() / "log.jsonl");
  for (const std::size_t num_spaces : {1, 40}) {
    const std::string spaces(num_spaces, ' ');
    edit("log.jsonl", "{\"update\":3,", "{\"update\":3," + spaces);
    EXPECT_EQ(runtime_error_of([&] { Trainer::resume(folder()); }),
              (folder() / "log.jsonl").string() +
                  ":3: the file was changed here after the checkpoint; restore the file, or start "
                  "a new run in another folder");
    write_text(folder() / "log.jsonl", log);
  }
  EXPECT_TRUE(Trainer::resume(folder()).run({}));
}

TEST_F(TamperedRunTest, IsRefusedIfEventsWereChanged) {
  std::string events = read_text(folder() / run::layout::kEvents);
  events[events.size() / 2] ^= 1;
  write_text(folder() / run::layout::kEvents, events);
  EXPECT_TRUE(runtime_error_of([&] {
                Trainer::resume(folder());
              }).ends_with("remove it to continue without its events so far"));
  fs::remove(folder() / run::layout::kEvents);
  EXPECT_NO_THROW(Trainer::resume(folder()));
}

TEST_F(TamperedRunTest, IsRefusedIfASettingWasEdited) {
  edit("config.toml", "learning_rate = ", "learning_rate = 0.25  # ");
  const std::string error = invalid_argument_of([&] { Trainer::resume(folder()); });
  EXPECT_TRUE(error.starts_with((folder() / "config.toml").string() + ":")) << error;
  EXPECT_NE(error.find(": learning_rate is 0.25, but the run was trained with "), std::string::npos)
      << error;
  EXPECT_TRUE(error.ends_with("; restore the line, or start a new run with --config")) << error;
}

TEST_F(TamperedRunTest, MayBeMovedToAnotherNumberOfThreadsAndSaysSo) {
  edit("config.toml", "threads = 1", "threads = 2");
  edit("config.toml", "num_workers = 0", "num_workers = 3");
  edit("config.toml", "steps = 1920", "steps = 2400");
  const Trainer resumed = Trainer::resume(folder());
  EXPECT_EQ(resumed.notes(),
            std::vector<std::string>{
                "threads was 1 and is 2: the last bits of the rest of the run may differ"});
}

TEST_F(TamperedRunTest, OfAnEarlierVersionIsNotChecked) {
  reseal([](run::Checkpoint& checkpoint) {
    checkpoint.log_seals.clear();
    checkpoint.facts.erase("settings");
  });
  edit("log.jsonl", "{\"update\":3,", "{\"update\":9,");
  edit("config.toml", "learning_rate = ", "learning_rate = 0.25  # ");
  EXPECT_TRUE(Trainer::resume(folder()).run({}));
}

TEST_F(TamperedRunTest, FollowsNoLinks) {
  const fs::path precious = run("precious");
  write_text(precious, std::string(100'000, 'x'));
  fs::rename(folder() / "log.jsonl", run("log"));
  fs::create_symlink(precious, folder() / "log.jsonl");
  EXPECT_TRUE(runtime_error_of([&] {
                Trainer::resume(folder());
              }).ends_with("replace it by what it refers to"));
  fs::remove(folder() / "log.jsonl");
  fs::rename(run("log"), folder() / "log.jsonl");
  for (const char* name : {"levels.csv", "config.toml"}) {
    fs::create_symlink(precious, folder() / (std::string(name) + ".tmp"));
  }
  fs::remove(folder() / "levels.csv");
  fs::create_symlink(precious, folder() / "levels.csv");
  EXPECT_TRUE(Trainer::resume(folder(), {.steps = 2400}).run({}));
  EXPECT_EQ(read_text(precious), std::string(100'000, 'x'));
}

TEST_F(TamperedRunTest, EndsWhenALogIsRemoved) {
  Trainer trainer = Trainer::resume(folder());
  fs::remove(folder() / "log.jsonl");
  EXPECT_TRUE(runtime_error_of([&] { trainer.run({}); })
                  .starts_with("cannot write " + (folder() / "log.jsonl").string() +
                               ": it was removed or replaced since it was opened"));
}

TEST_F(TamperedRunTest, IsRefusedIfAWeightIsNotFinite) {
  for (const float value : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    const run::Checkpoint checkpoint = run::load_checkpoint(folder() / run::layout::kCheckpoints);
    std::vector<std::byte> bytes = checkpoint.tensors;
    std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
    const run::Safetensors file(bytes);
    EXPECT_TRUE(runtime_error_of([&] {
                  from_bytes(bytes, {{file.tensors().back().name, at::zeros({1})}}, true);
                }).ends_with("holds NaN or infinite numbers; resume from an older checkpoint"));
  }
}

}  // namespace
}  // namespace plr::train
