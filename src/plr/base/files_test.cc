#include "plr/base/files.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/child_process.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

namespace plr {
namespace {

namespace fs = std::filesystem;

TEST(Files, ReadBackWrittenBytes) {
  const TemporaryDirectory temporary;
  for (const std::size_t size : {0, 1, 4096, 1'000'003}) {
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 31);
    write_file(temporary / "a.bin", bytes);
    EXPECT_EQ(read_file(temporary / "a.bin"), bytes);
  }
  write_text(temporary / "a.txt", "one\ntwo");
  EXPECT_EQ(read_text(temporary / "a.txt"), "one\ntwo");
}

TEST(Files, AreReadToTheEndIfTheirSizeIsUnknown) {
  EXPECT_EQ(fs::file_size("/proc/self/stat"), 0U);
  EXPECT_TRUE(read_text("/proc/self/stat").ends_with("\n"));
}

TEST(Files, LeaveNoTemporaryFiles) {
  const TemporaryDirectory temporary;
  write_text(temporary / "a.txt", "old");
  write_text(temporary / "a.txt", "new");
  EXPECT_EQ(read_text(temporary / "a.txt"), "new");
  EXPECT_EQ(names_in(temporary.path()), std::vector<std::string>{"a.txt"});
}

TEST(Files, AreWrittenOverTheTemporaryFileOfAKilledProcess) {
  const TemporaryDirectory temporary;
  write_text(temporary / "a.txt.tmp", "longer than the new text");
  write_text(temporary / "a.txt", "new");
  EXPECT_EQ(read_text(temporary / "a.txt"), "new");
}

TEST(Files, KeepTheirBytesWhenTheDiskIsFull) {
  const TemporaryDirectory temporary;
  const fs::path path = temporary / "a.txt";
  write_text(path, "old");
  const std::string error =
      error_with_small_disk(1000, [&] { write_text(path, std::string(1001, 'x')); });
  EXPECT_EQ(error, "cannot write " + path.string() + ": File too large");
  EXPECT_EQ(read_text(path), "old");
  EXPECT_EQ(names_in(temporary.path()), std::vector<std::string>{"a.txt"});
}

TEST(Files, ReportPathAndCauseOfAFailedWrite) {
  const TemporaryDirectory temporary;
  write_text(temporary / "file", "");
  const fs::path below_a_file = temporary / "file/a.txt";
  EXPECT_EQ(runtime_error_of([&] { write_text(below_a_file, "x"); }),
            "cannot write " + below_a_file.string() + ": Not a directory");
  const fs::path nowhere = temporary / "no/a.txt";
  EXPECT_EQ(runtime_error_of([&] { write_text(nowhere, "x"); }),
            "cannot write " + nowhere.string() + ": No such file or directory");
  fs::create_directory(temporary / "folder");
  const fs::path folder = temporary / "folder";
  EXPECT_EQ(runtime_error_of([&] { write_text(folder, "x"); }),
            "cannot write " + folder.string() + ": Is a directory");
  EXPECT_EQ(names_in(temporary.path()), (std::vector<std::string>{"file", "folder"}));
}

TEST(Files, ReportPathAndCauseOfAFailedRead) {
  const TemporaryDirectory temporary;
  const fs::path missing = temporary / "missing";
  EXPECT_EQ(runtime_error_of([&] { read_file(missing); }),
            "cannot read " + missing.string() + ": No such file or directory");
  EXPECT_EQ(runtime_error_of([&] { read_text(temporary.path()); }),
            "cannot read " + temporary.path().string() + ": Is a directory");
}

TEST(Files, MakeDirectoriesMakesMissingParents) {
  const TemporaryDirectory temporary;
  make_directories(temporary / "a/b/c");
  make_directories(temporary / "a/b/c");
  make_directories(temporary / "a/d/");
  EXPECT_TRUE(fs::is_directory(temporary / "a/b/c"));
  EXPECT_TRUE(fs::is_directory(temporary / "a/d"));
  write_text(temporary / "file", "");
  const fs::path below_a_file = temporary / "file/a";
  EXPECT_EQ(runtime_error_of([&] { make_directories(below_a_file); }),
            "cannot make the directory " + (temporary / "file").string() + ": File exists");
}

}  // namespace
}  // namespace plr
