// The program is a shell script in place of plr: it logs an update of 64 steps every 0.2 s, and
// starts again from its checkpoint when it is resumed.
#include "plr/experiment/packed_sessions.h"

#include <gtest/gtest.h>

#include "plr/experiment/plans_testing.h"
#include "tests/support/temporary_directory.h"

namespace plr::experiment {
namespace {

namespace fs = std::filesystem;

class PackedSessionsTest : public testing::Test {
 protected:
  PackedSessionsTest() {
    make_directories(runs() / "output");
    // Started runs, so that the script needs no settings to write.
    for (const PlannedRun& run : plan_.runs) write_started_run(runs() / run.name, run, 64, false);
    jobs_ = make_run_jobs(plan_, runs());
    for (RunJob& job : jobs_) job.steps = 1'000'000;
  }

  fs::path runs() const { return folder_.path() / "runs"; }

  // Runs the jobs by a program that executes `script`, with $workers and the run's $folder, before
  // it logs, until the search is done.
  SessionsEnd run(const std::string& script, PackingSearch& search) {
    const fs::path program = folder_.path() / "program";
    run::LogRecord record;
    record.steps = 123456789;
    std::string line = run::record_to_json(record).dump();
    line.replace(line.find("123456789"), 9, "'$steps'");
    write_text(
        program,
        "#!/bin/sh\nfolder=$3\nworkers=$7\n" + script +
            "\nsteps=64\ntrap ': > $folder/log.jsonl; exit 143' TERM\nwhile :; do sleep 0.2; "
            "steps=$((steps + 64)); echo '" +
            line + "' >> $folder/log.jsonl; done\n");
    fs::permissions(program, fs::perms::owner_all);
    int num_chosen = 0;
    const SessionCallbacks callbacks{
        .message = [&](const std::string& text) { messages_.push_back(text); },
        .should_stop = [&] { return search.is_done(); }};
    const SessionsEnd end = run_packed_sessions(
        jobs_, {.folder = runs(), .program = program.string()}, search, callbacks,
        {.chosen = [&] { ++num_chosen; },
         .window = {.time = std::chrono::milliseconds(2500), .updates_per_run = 1},
         .worthwhile_seconds = worthwhile_seconds_});
    EXPECT_EQ(num_chosen, 1);
    return end;
  }

  TemporaryDirectory folder_;
  Plan plan_ = small_plan(folder_.path());
  std::vector<RunJob> jobs_;
  std::vector<std::string> messages_;
  double worthwhile_seconds_ = 0;
};

TEST_F(PackedSessionsTest, ChoosesTheFastestPacking) {
  PackingSearch search({{1, 2}, {2, 2}}, {1, 2});
  const SessionsEnd end = run("", search);
  EXPECT_TRUE(end.failures.empty());
  EXPECT_EQ(search.current().max_running, 2);
  ASSERT_EQ(search.trials().size(), 3U);  // the last one with half the workers
  EXPECT_GT(search.trials()[1].steps_per_second, 1.1 * search.trials()[0].steps_per_second);
  ASSERT_EQ(messages_.size(), 3U);
  EXPECT_TRUE(messages_[0].starts_with("1 at a time with 2 workers each: ")) << messages_[0];
  EXPECT_TRUE(messages_[0].ends_with("next 2 at a time with 2 workers each")) << messages_[0];
  EXPECT_TRUE(messages_[1].ends_with("next 2 at a time with 1 worker each")) << messages_[1];
  EXPECT_NE(messages_[2].find("from now on 2 at a time"), std::string::npos) << messages_[2];
}

TEST_F(PackedSessionsTest, RepeatsRunsThatFailInALaterPacking) {
  PackingSearch search({{1, 4}, {2, 3}}, {1, 4});
  const SessionsEnd end = run("if [ $workers = 3 ]; then echo no memory; exit 2; fi", search);
  EXPECT_TRUE(end.failures.empty());
  EXPECT_EQ(search.current().max_running, 1);
}

TEST_F(PackedSessionsTest, ARunThatAlwaysFailsDoesNotDecide) {
  PackingSearch search({{1, 2}, {2, 2}}, {1, 2});
  run("case $folder in *" + jobs_[0].folder.filename().string() + ") exit 2 ;; esac", search);
  ASSERT_GE(search.trials().size(), 2U);
  EXPECT_GT(search.trials()[1].steps_per_second, 0);  // of the other run
}

TEST_F(PackedSessionsTest, TriesNoOtherPackingIfLittleWorkIsLeft) {
  worthwhile_seconds_ = 1e9;
  PackingSearch search({{1, 2}, {2, 1}}, {1, 2});
  run("", search);
  EXPECT_EQ(search.current(), (Packing{1, 2}));
  EXPECT_EQ(search.trials().size(), 1U);
}

}  // namespace
}  // namespace plr::experiment
