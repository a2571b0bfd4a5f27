#include "plr/run/checkpoint.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "plr/base/files.h"
#include "plr/base/random.h"
#include "plr/run/checkpoint_facts.h"
#include "tests/support/child_process.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

namespace plr::run {
namespace {

namespace fs = std::filesystem;

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// Every part depends on the update.
Checkpoint example(std::int64_t update, std::size_t size = 20) {
  const char letter = static_cast<char>('a' + update % 26);
  return {.update = update,
          .facts = {{"steps", update * 100}, {"loss", 0.1 * static_cast<double>(update)}},
          .states = {{"curriculum", bytes_of(std::string(size, letter))},
                     {"env-0", bytes_of("env of " + std::to_string(update))},
                     {"nothing", {}}},
          .tensors = bytes_of("tensors of " + std::to_string(update) + std::string(size, letter))};
}

void expect_equal(const Checkpoint& found, const Checkpoint& expected) {
  EXPECT_EQ(found.update, expected.update);
  EXPECT_EQ(found.facts, expected.facts);
  EXPECT_EQ(found.states, expected.states);
  EXPECT_EQ(found.tensors, expected.tensors);
}

using Names = std::vector<std::string>;

TEST(Checkpoint, RoundTrips) {
  const TemporaryDirectory temporary;
  save_checkpoint(temporary / "runs/a/checkpoint", example(12));
  expect_equal(load_checkpoint(temporary / "runs/a/checkpoint"), example(12));
  save_checkpoint(temporary / "empty", Checkpoint{});
  expect_equal(load_checkpoint(temporary / "empty"), Checkpoint{});
}

TEST(Checkpoint, ConsistsOfFilesThatOtherProgramsCanRead) {
  const TemporaryDirectory temporary;
  save_checkpoint(temporary.path(), example(12));
  EXPECT_EQ(read_file(temporary / "update-00000012/tensors.safetensors"), example(12).tensors);
  EXPECT_EQ(read_text(temporary / "update-00000012/states/env-0.bin"), "env of 12");
  const auto manifest =
      nlohmann::json::parse(read_text(temporary / "update-00000012/checkpoint.json"));
  EXPECT_EQ(manifest["format"], 1);
  EXPECT_EQ(manifest["update"], 12);
  EXPECT_EQ(manifest["facts"]["steps"], 1200);
  EXPECT_EQ(manifest["states"]["env-0"]["size"], 9);
}

TEST(CheckpointFacts, RefusesNumbersThatAreNotWholeOrOutOfRange) {
  const nlohmann::json right = CheckpointFacts{.steps = 7, .sizes = {.log = 5}};
  EXPECT_EQ(right.get<CheckpointFacts>().sizes.log, 5U);
  const auto expect_refused = [&](const char* pointer, const nlohmann::json& value) {
    nlohmann::json wrong = right;
    wrong[nlohmann::json::json_pointer(pointer)] = value;
    EXPECT_THROW(wrong.get<CheckpointFacts>(), std::runtime_error) << wrong;
  };
  expect_refused("/steps", 1e30);
  expect_refused("/behavior_version", 1.5);
  expect_refused("/sizes/log", -1);
}

TEST(Checkpoint, LoadsItsFactsEvenIfTheRestIsDamaged) {
  const TemporaryDirectory temporary;
  save_checkpoint(temporary.path(), example(12));
  write_text(temporary / "update-00000012/tensors.safetensors", "damaged");
  EXPECT_EQ(load_checkpoint_facts(temporary.path()), example(12).facts);
}

TEST(Checkpoint, IsRemovedWhenThereAreTwoNewerOnes) {
  const TemporaryDirectory temporary;
  for (const std::int64_t update : {8, 10, 12}) save_checkpoint(temporary.path(), example(update));
  EXPECT_EQ(names_in(temporary.path()), (Names{"update-00000010", "update-00000012"}));
  expect_equal(load_checkpoint(temporary.path()), example(12));
  fs::remove_all(temporary / "update-00000012");
  expect_equal(load_checkpoint(temporary.path()), example(10));
}

TEST(Checkpoint, IsOrderedByUpdateNotByName) {
  const TemporaryDirectory temporary;
  for (const std::int64_t update : {99'999'998, 99'999'999, 100'000'000}) {
    save_checkpoint(temporary.path(), example(update));
  }
  const std::vector<SavedCheckpoint> saved = list_checkpoints(temporary.path());
  ASSERT_EQ(saved.size(), 2U);
  EXPECT_EQ(saved[0].update, 99'999'999);
  EXPECT_EQ(saved[1].update, 100'000'000);
  EXPECT_EQ(saved[1].path, temporary / "update-100000000");
  expect_equal(load_checkpoint(temporary.path()), example(100'000'000));
}

TEST(Checkpoint, ReplacesOneOfTheSameUpdate) {
  const TemporaryDirectory temporary;
  save_checkpoint(temporary.path(), example(12));
  Checkpoint other = example(12);
  other.facts["again"] = true;
  other.states.erase("env-0");
  save_checkpoint(temporary.path(), other);
  expect_equal(load_checkpoint(temporary.path()), other);
  EXPECT_EQ(names_in(temporary.path()), Names{"update-00000012"});
}

TEST(Checkpoint, IsNotSavedNextToALaterOne) {
  const TemporaryDirectory temporary;
  save_checkpoint(temporary.path(), example(12));
  EXPECT_EQ(runtime_error_of([&] { save_checkpoint(temporary.path(), example(3)); }),
            "cannot save update 3: there is a later checkpoint, " +
                (temporary / "update-00000012").string() +
                "; remove it, or save to another folder");
  expect_equal(load_checkpoint(temporary.path()), example(12));
}

TEST(Checkpoint, RefusesInvalidStateNamesAndUpdates) {
  const TemporaryDirectory temporary;
  EXPECT_THROW(save_checkpoint(temporary.path(), example(-1)), std::invalid_argument);
  for (const char* name : {"", "../env", "Env", "a.b", "a b"}) {
    Checkpoint checkpoint = example(1);
    checkpoint.states[name] = {};
    EXPECT_THROW(save_checkpoint(temporary.path(), checkpoint), std::invalid_argument) << name;
  }
  EXPECT_EQ(names_in(temporary.path()), Names{});
}

TEST(Checkpoint, IgnoresLeftoversOfAKilledSaveAndRemovesThemOnSave) {
  const TemporaryDirectory temporary;
  save_checkpoint(temporary.path(), example(10));
  fs::create_directories(temporary / "update-00000012.tmp/states");
  write_text(temporary / "update-00000012.tmp/states/env-0.bin", "half");
  write_text(temporary / "update-00000012.tmp/states/unknown.bin", "from another time");
  fs::create_directories(temporary / "update-00000008.tmp");
  expect_equal(load_checkpoint(temporary.path()), example(10));

  save_checkpoint(temporary.path(), example(12));
  expect_equal(load_checkpoint(temporary.path()), example(12));
  EXPECT_EQ(names_in(temporary.path()), (Names{"update-00000010", "update-00000012"}));
  EXPECT_EQ(names_in(temporary / "update-00000012/states"),
            (Names{"curriculum.bin", "env-0.bin", "nothing.bin"}));
}

TEST(Checkpoint, IsKeptWhenLeftoversAreRemoved) {
  const TemporaryDirectory temporary;
  save_checkpoint(temporary.path(), example(10));
  fs::create_directories(temporary / "update-00000010.tmp/states");
  remove_leftovers(temporary.path());
  EXPECT_EQ(names_in(temporary.path()), Names{"update-00000010"});
  expect_equal(load_checkpoint(temporary.path()), example(10));
}

TEST(Checkpoint, KeepsForeignFilesAndFolders) {
  const TemporaryDirectory temporary;
  const Names others{"best", "notes.tmp", "update-12", "update-x"};
  for (const std::string& name : others) fs::create_directory(temporary / name);
  write_text(temporary / "update-00000099", "a file");
  EXPECT_TRUE(list_checkpoints(temporary.path()).empty());
  for (const std::int64_t update : {1, 2, 3}) save_checkpoint(temporary.path(), example(update));
  for (const std::string& name : others) EXPECT_TRUE(fs::exists(temporary / name)) << name;
  expect_equal(load_checkpoint(temporary.path()), example(3));
}

// ---- missing and damaged files ------------------------------------------------------------------

TEST(Checkpoint, NamesTheFolderThatHasNone) {
  const TemporaryDirectory temporary;
  const fs::path missing = temporary / "missing";
  EXPECT_TRUE(list_checkpoints(missing).empty());
  EXPECT_EQ(runtime_error_of([&] { load_checkpoint(missing); }),
            missing.string() + " does not exist; name a run that has saved a checkpoint");
  EXPECT_EQ(runtime_error_of([&] { load_checkpoint(temporary.path()); }),
            temporary.path().string() + " holds no checkpoint; start the run again");
}

TEST(Checkpoint, RefusesAnotherFormatVersion) {
  const TemporaryDirectory temporary;
  save_checkpoint(temporary.path(), example(12));
  const fs::path path = temporary / "update-00000012/checkpoint.json";
  write_text(path, R"({"format": 2, "anything": []})");
  EXPECT_EQ(runtime_error_of([&] { load_checkpoint(temporary.path()); }),
            path.string() +
                " is of format 2, but this program reads format 1; use the version that wrote it");
}

// Comparing and printing such a value would overflow the stack.
TEST(Checkpoint, RefusesAManifestThatIsNestedDeeply) {
  const TemporaryDirectory temporary;
  save_checkpoint(temporary.path(), example(12));
  const std::string nested = std::string(200'000, '[') + std::string(200'000, ']');
  const fs::path path = temporary / "update-00000012/checkpoint.json";
  write_text(path, "{\"format\": " + nested + "}");
  const std::string error = runtime_error_of([&] { load_checkpoint(temporary.path()); });
  EXPECT_EQ(error, path.string() +
                       " is damaged (its checksum differs); there is no older "
                       "checkpoint; start the run again");
}

TEST(Checkpoint, IsNotSavedThroughALink) {
  const TemporaryDirectory temporary;
  fs::create_directory(temporary / "elsewhere");
  fs::create_directory_symlink("elsewhere", temporary / "checkpoint");
  EXPECT_TRUE(runtime_error_of([&] {
                save_checkpoint(temporary / "checkpoint", example(1));
              }).ends_with("replace it by what it refers to"));
  EXPECT_EQ(names_in(temporary / "elsewhere"), Names{});
}

TEST(Checkpoint, HasTheSealsOfLogs) {
  const TemporaryDirectory temporary;
  Checkpoint checkpoint = example(12);
  checkpoint.log_seals = bytes_of("seals");
  save_checkpoint(temporary.path(), checkpoint);
  EXPECT_EQ(load_checkpoint(temporary.path()).log_seals, checkpoint.log_seals);
  write_text(temporary / "update-00000012/logs.seal", "other");
  EXPECT_THROW(load_checkpoint(temporary.path()), std::runtime_error);
}

TEST(Checkpoint, NamesTheDamagedFileAndTheRemedy) {
  const TemporaryDirectory temporary;
  save_checkpoint(temporary.path(), example(10));
  save_checkpoint(temporary.path(), example(12));
  const std::string hint = "; remove that directory to continue from update-00000010";
  const auto error = [&] { return runtime_error_of([&] { load_checkpoint(temporary.path()); }); };

  const fs::path tensors = temporary / "update-00000012/tensors.safetensors";
  write_text(tensors, std::string(example(12).tensors.size(), 'x'));
  EXPECT_EQ(error(), tensors.string() + " is damaged (its checksum differs)" + hint);
  write_text(tensors, "x");
  EXPECT_EQ(error(), tensors.string() + " is damaged (it has 1 bytes, not 33)" + hint);
  fs::remove(tensors);
  EXPECT_EQ(error(), tensors.string() + " is missing" + hint);

  const fs::path manifest = temporary / "update-00000012/checkpoint.json";
  write_text(manifest, "");
  EXPECT_EQ(error(), manifest.string() + " is damaged (its checksum differs)" + hint);
  fs::remove(manifest);
  EXPECT_EQ(error(), manifest.string() + " is missing" + hint);

  // Following the hint helps; without an older checkpoint the hint differs.
  fs::remove_all(temporary / "update-00000012");
  expect_equal(load_checkpoint(temporary.path()), example(10));
  const fs::path state = temporary / "update-00000010/states/env-0.bin";
  fs::remove(state);
  EXPECT_EQ(error(),
            state.string() + " is missing; there is no older checkpoint; start the run again");
}

TEST(Checkpoint, IsRefusedInADirectoryOfAnotherUpdate) {
  const TemporaryDirectory temporary;
  save_checkpoint(temporary.path(), example(10));
  fs::rename(temporary / "update-00000010", temporary / "update-00000011");
  EXPECT_EQ(runtime_error_of([&] { load_checkpoint(temporary.path()); }),
            (temporary / "update-00000011/checkpoint.json").string() +
                " is of update 10; there is no older checkpoint; start the run again");
}

TEST(Checkpoint, IsRefusedIfAnyByteIsChangedOrMissing) {
  const TemporaryDirectory temporary;
  save_checkpoint(temporary.path(), example(12));
  const auto expect_refused = [&](const fs::path& path, std::size_t place) {
    EXPECT_THROW(load_checkpoint(temporary.path()), std::runtime_error) << path << " at " << place;
  };
  for (const auto& entry : fs::recursive_directory_iterator(temporary.path())) {
    if (!entry.is_regular_file()) continue;
    const std::string bytes = read_text(entry.path());
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    const auto put = [&](std::size_t place, int byte) {
      file.seekp(static_cast<std::streamoff>(place)).put(static_cast<char>(byte)).flush();
    };
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      for (const int flip : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
        put(i, bytes[i] ^ flip);
        expect_refused(entry.path(), i);
      }
      put(i, bytes[i]);
    }
    for (std::size_t size = bytes.size(); size-- > 0;) {
      fs::resize_file(entry.path(), size);
      expect_refused(entry.path(), size);
    }
    write_text(entry.path(), bytes);
  }
  expect_equal(load_checkpoint(temporary.path()), example(12));
}

// ---- when saving fails --------------------------------------------------------------------------

TEST(Checkpoint, LeavesEarlierOnesUnchangedIfTheDiskIsFull) {
  const TemporaryDirectory temporary;
  save_checkpoint(temporary.path(), example(8));
  save_checkpoint(temporary.path(), example(10));
  const std::string error =
      error_with_small_disk(2000, [&] { save_checkpoint(temporary.path(), example(12, 10'000)); });
  EXPECT_EQ(error, "cannot write " +
                       (temporary / "update-00000012.tmp/states/curriculum.bin").string() +
                       ": File too large");
  EXPECT_EQ(names_in(temporary.path()), (Names{"update-00000008", "update-00000010"}));
  expect_equal(load_checkpoint(temporary.path()), example(10));
}

TEST(Checkpoint, ReportsAFolderThatCannotBeCreated) {
  const TemporaryDirectory temporary;
  write_text(temporary / "file", "");
  EXPECT_EQ(runtime_error_of([&] { save_checkpoint(temporary / "file/checkpoint", example(1)); }),
            "cannot make the directory " + (temporary / "file").string() + ": Not a directory");
}

// Saves until it is killed, each update twice, so that replacing is interrupted too. Stores the
// last update that was saved.
[[noreturn]] void save_forever(const fs::path& folder, std::atomic<std::int64_t>& saved) noexcept {
  for (std::int64_t save = 2 * saved + 2;; ++save) {
    save_checkpoint(folder, example(save / 2, 5000));
    saved = save / 2;
  }
}

TEST(Checkpoint, SurvivesAKillAtAnyInstant) {
  const TemporaryDirectory temporary;
  const auto start = std::chrono::steady_clock::now();
  save_checkpoint(temporary.path(), example(0, 5000));
  const auto duration = std::chrono::steady_clock::now() - start;

  // In memory shared with the child processes.
  auto& saved = *new (::mmap(nullptr, sizeof(std::atomic<std::int64_t>), PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0)) std::atomic<std::int64_t>(0);
  Random random = Streams(1).named("kills");
  // Thirty kills, and more until at least one save has been completed.
  for (int kill = 0; kill < 30 || saved == 0; ++kill) {
    const pid_t child = ::fork();
    if (child == 0) save_forever(temporary.path(), saved);
    std::this_thread::sleep_for(4 * random.uniform() * duration);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_EQ(WTERMSIG(status), SIGKILL) << "the child was not killed";

    const Checkpoint found = load_checkpoint(temporary.path());
    EXPECT_GE(found.update, saved);
    expect_equal(found, example(found.update, 5000));
    saved = found.update;
  }
  save_checkpoint(temporary.path(), example(saved + 1));
  for (const std::string& name : names_in(temporary.path())) EXPECT_FALSE(name.ends_with(".tmp"));
}

}  // namespace
}  // namespace plr::run
