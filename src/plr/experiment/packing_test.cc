#include "plr/experiment/packing.h"

#include <gtest/gtest.h>

#include <functional>

#include "plr/base/files.h"
#include "tests/support/temporary_directory.h"

namespace plr::experiment {
namespace {

using Packings = std::vector<Packing>;
using namespace std::chrono_literals;

TEST(Packings, GiveEveryCoreTwoWorkersAndEveryRunFourIfRunsShareAGpu) {
  EXPECT_EQ(packings(16, 1, 100),
            (Packings{{1, 16}, {2, 16}, {3, 11}, {4, 8}, {6, 6}, {8, 4}, {12, 4}, {16, 4}}));
  EXPECT_EQ(packings(16, 2, 100), (Packings{{2, 8}, {4, 8}, {6, 6}, {8, 4}, {12, 4}, {16, 4}}));
}

TEST(Packings, HaveAtMostTheRunsThatExistAndOneRunPerCore) {
  EXPECT_EQ(packings(16, 1, 5), (Packings{{1, 16}, {2, 16}, {3, 11}, {4, 8}, {5, 7}}));
  EXPECT_EQ(packings(2, 1, 100), (Packings{{1, 2}, {2, 2}}));
  EXPECT_EQ(packings(2, 4, 100), (Packings{{4, 1}}));
}

// The numbers of runs at a time that are tried if a packing has the given speed, and the choice.
std::vector<int> tried(int first, const std::function<double(int)>& speed) {
  PackingSearch search(packings(16, 1, 100), {first, 1});
  std::vector<int> numbers;
  while (!search.is_done()) {
    numbers.push_back(search.current().max_running);
    search.record(speed(numbers.back()));
  }
  numbers.push_back(search.current().max_running);
  return numbers;
}

TEST(PackingSearch, TriesMoreRunsWhileTheyAreFaster) {
  EXPECT_EQ(tried(2, [](int runs) { return runs <= 6 ? runs : 5; }),
            (std::vector<int>{2, 3, 4, 6, 8, 6, 6}));
  EXPECT_EQ(tried(4, [](int runs) { return runs; }), (std::vector<int>{4, 6, 8, 12, 16, 16, 16}));
}

TEST(PackingSearch, TriesFewerRunsIfMoreAreNotFaster) {
  EXPECT_EQ(tried(4, [](int runs) { return 10 - runs; }), (std::vector<int>{4, 6, 3, 2, 1, 1, 1}));
  EXPECT_EQ(tried(4, [](int runs) { return runs == 4 ? 2 : 1; }),
            (std::vector<int>{4, 6, 3, 4, 4}));
}

TEST(PackingSearch, KeepsAPackingIfAnotherIsHardlyFaster) {
  EXPECT_EQ(tried(4, [](int runs) { return runs == 4 ? 1 : 1.02; }),
            (std::vector<int>{4, 6, 3, 4, 4}));
}

TEST(PackingSearch, TriesHalfTheWorkersAtTheEnd) {
  for (const bool is_faster : {false, true}) {
    PackingSearch search(packings(16, 1, 100), {4, 8});
    search.record(100);
    search.record(90);  // six runs
    search.record(90);  // three
    EXPECT_EQ(search.current(), (Packing{4, 4}));
    search.record(is_faster ? 110 : 100);
    EXPECT_TRUE(search.is_done());
    EXPECT_EQ(search.current(), is_faster ? (Packing{4, 4}) : (Packing{4, 8}));
  }
}

TEST(PackingSearch, StartsBelowANumberThatIsNoCandidate) {
  EXPECT_EQ(PackingSearch(packings(16, 1, 100), {5, 3}).current(), (Packing{4, 8}));
}

TEST(PackingSearch, EndsWithOneWorkerPerRun) {
  PackingSearch search({{1, 2}, {2, 1}}, {1, 2});
  search.record(100);
  search.record(200);
  EXPECT_TRUE(search.is_done());
  EXPECT_EQ(search.current(), (Packing{2, 1}));
}

TEST(PackingSearch, IsDoneWithOneCandidate) {
  const PackingSearch search({{3, 2}}, {3, 2});
  EXPECT_TRUE(search.is_done());
  EXPECT_EQ(search.current(), (Packing{3, 2}));
}

TEST(PackingSearch, EndsWithTheFastestPackingSoFar) {
  PackingSearch search(packings(16, 1, 100), {4, 8});
  search.record(100);
  search.finish();
  EXPECT_TRUE(search.is_done());
  EXPECT_EQ(search.current(), (Packing{4, 8}));
}

std::chrono::steady_clock::time_point at(std::chrono::seconds time) {
  return std::chrono::steady_clock::time_point(time);
}

TEST(SpeedWindow, MeasuresFromTheMomentWhenAllRunsTrain) {
  SpeedWindow window;
  window.observe({.steps = 1000, .updates = 1, .num_running = 2, .num_training = 1});
  window.observe(
      {.time = at(10s), .steps = 5000, .updates = 5, .num_running = 2, .num_training = 2});
  window.observe(
      {.time = at(29s), .steps = 40'000, .updates = 46, .num_running = 2, .num_training = 2});
  EXPECT_FALSE(window.speed());
  window.observe(
      {.time = at(30s), .steps = 45'000, .updates = 50, .num_running = 2, .num_training = 2});
  EXPECT_EQ(window.speed(), 2000);
}

TEST(SpeedWindow, WaitsForUpdatesButNotForever) {
  SpeedWindow window;
  window.observe({.steps = 0, .updates = 0, .num_running = 1, .num_training = 1});
  window.observe(
      {.time = at(60s), .steps = 500, .updates = 5, .num_running = 1, .num_training = 1});
  EXPECT_FALSE(window.speed());
  window.observe(
      {.time = at(180s), .steps = 1800, .updates = 18, .num_running = 1, .num_training = 1});
  EXPECT_EQ(window.speed(), 10);
}

TEST(SpeedWindow, IsZeroIfNoRunTrains) {
  SpeedWindow window;
  window.observe({.num_running = 1});
  window.observe({.time = at(180s), .num_running = 1});
  EXPECT_EQ(window.speed(), 0);
}

TEST(PackingFile, IsReadOnTheSameMachineOnly) {
  const TemporaryDirectory folder;
  EXPECT_FALSE(load_packing(folder.path(), 16, 1));
  PackingSearch search(packings(16, 1, 100), {4, 8});
  search.record(100);
  search.record(200);
  search.finish();
  save_packing(folder.path(), search, 16, 1);
  EXPECT_EQ(load_packing(folder.path(), 16, 1), (Packing{6, 6}));
  EXPECT_FALSE(load_packing(folder.path(), 8, 1));
  EXPECT_FALSE(load_packing(folder.path(), 16, 2));
}

TEST(PackingFile, IsIgnoredIfItCannotBeRead) {
  const TemporaryDirectory folder;
  for (const char* text :
       {"", "{", "[]", "{\"cores\": 16, \"gpus\": 1, \"runs_at_a_time\": \"a\"}"}) {
    write_text(folder / "packing.json", text);
    EXPECT_FALSE(load_packing(folder.path(), 16, 1)) << text;
  }
}

}  // namespace
}  // namespace plr::experiment
