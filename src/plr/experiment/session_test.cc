// The program is a shell script in place of plr.
#include "plr/experiment/session.h"

#include <gtest/gtest.h>

#include "plr/experiment/plans_testing.h"
#include "tests/support/temporary_directory.h"

namespace plr::experiment {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

class SessionTest : public testing::Test {
 protected:
  SessionTest() { make_directories(folder_ / "runs/output"); }

  // Options with a program that runs `script`.
  SessionOptions options(const std::string& script) const {
    const fs::path program = folder_.path() / "program";
    write_text(program, "#!/bin/sh\n" + script + "\n");
    fs::permissions(program, fs::perms::owner_all);
    return {.folder = runs(), .program = program.string(), .packing = {2, 1}};
  }
  fs::path runs() const { return folder_.path() / "runs"; }

  TemporaryDirectory folder_;
  Plan plan_ = small_plan(folder_.path());
};

TEST_F(SessionTest, ReportsFailuresWithTheirLastLine) {
  std::vector<RunJob> jobs = make_run_jobs(plan_, runs());
  Session session(jobs, options("echo first; echo the disk is full; exit 2"));
  Lines messages;
  const Lines failures =
      session.run({.message = [&](const std::string& line) { messages.push_back(line); }});
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_TRUE(failures[0].ends_with(" failed (exit code 2): the disk is full"));
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0], failures[0] + "; see " + (runs() / "output").string() + "/" +
                             failures[0].substr(0, failures[0].find(' ')) + ".txt");
  EXPECT_EQ(session.num_finished(), 0U);
}

TEST_F(SessionTest, CountsRunsThatFinish) {
  write_started_run(runs() / "empty-5x5-s1", plan_.runs[0], 256, true);
  std::vector<RunJob> jobs = make_run_jobs(plan_, runs());
  // The second run, when it is started, copies the first one's files into its folder.
  Session session(jobs, options("cp -r " + (runs() / "empty-5x5-s1").string() + " " +
                                (runs() / "empty-5x5-s2").string()));
  EXPECT_EQ(session.num_finished(), 1U);
  Lines messages;
  EXPECT_EQ(session.run({.message = [&](const std::string& line) { messages.push_back(line); }}),
            Lines{});
  EXPECT_EQ(messages, Lines{"finished empty-5x5-s2 (2 of 2)"});
  EXPECT_EQ(session.num_finished(), 2U);
}

TEST_F(SessionTest, StopsOnRequestWithoutFailures) {
  std::vector<RunJob> jobs = make_run_jobs(plan_, runs());
  Session session(jobs, options("exec sleep 60"));
  SessionProgress last;
  const Lines failures = session.run({.progressed = [&](const SessionProgress& p) { last = p; },
                                      .should_stop = [] { return true; }});
  EXPECT_EQ(failures, Lines{});
  EXPECT_EQ(session.num_finished(), 0U);
  EXPECT_EQ(last.num_runs, 2U);
}

}  // namespace
}  // namespace plr::experiment
