#include "plr/base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>
#include <thread>

#include "plr/base/open_file.h"
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

TEST(Files, ReplaceALinkInsteadOfWhatItRefersTo) {
  const TemporaryDirectory temporary;
  write_text(temporary / "precious", "kept");
  for (const char* name : {"a.txt", "a.txt.tmp"}) {
    fs::create_symlink(temporary / "precious", temporary / name);
  }
  write_text(temporary / "a.txt", "new");
  EXPECT_EQ(read_text(temporary / "a.txt"), "new");
  EXPECT_EQ(read_text(temporary / "precious"), "kept");
}

TEST(Files, CanBeWrittenByManyThreadsAtOnce) {
  const TemporaryDirectory temporary;
  const fs::path path = temporary / "a.txt";
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i) {
    writers.emplace_back([&path, i] {
      const std::string text(100'000, static_cast<char>('a' + i));
      for (int k = 0; k < 10; ++k) write_text(path, text, Durability::kUnsynced);
    });
  }
  for (std::thread& writer : writers) writer.join();
  const std::string text = read_text(path);
  EXPECT_EQ(text, std::string(100'000, text.front()));
  EXPECT_EQ(names_in(temporary.path()), std::vector<std::string>{"a.txt"});
}

TEST(Files, AreFreedOfTheTemporaryFilesOfKilledWriters) {
  const TemporaryDirectory temporary;
  for (const char* name :
       {"a.txt.0123456789ab.tmp", "a.txt.tmp", "a.txt", "b.txt.0123456789ab.tmp"}) {
    write_text(temporary / name, "");
  }
  remove_temporary_files(temporary / "a.txt");
  EXPECT_EQ(names_in(temporary.path()),
            (std::vector<std::string>{"a.txt", "a.txt.tmp", "b.txt.0123456789ab.tmp"}));
}

// ---- outputs that the user names

TEST(Output, IsWrittenToWhatALinkRefersTo) {
  const TemporaryDirectory temporary;
  write_text(temporary / "target.html", "old");
  fs::create_symlink("target.html", temporary / "link.html");
  fs::create_symlink(temporary / "link.html", temporary / "second.html");
  write_output(temporary / "second.html", "new");
  EXPECT_EQ(read_text(temporary / "target.html"), "new");
  EXPECT_TRUE(fs::is_symlink(temporary / "link.html"));
  EXPECT_TRUE(fs::is_symlink(temporary / "second.html"));
  fs::create_symlink("made.html", temporary / "dangling.html");
  write_output(temporary / "dangling.html", "made");
  EXPECT_EQ(read_text(temporary / "made.html"), "made");
}

TEST(Output, IsWrittenIntoAPipe) {
  const TemporaryDirectory temporary;
  const fs::path pipe = temporary / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string received(4, '\0');
  std::thread reader([&] { std::ifstream(pipe).read(received.data(), 4); });
  write_output(pipe, "page");
  reader.join();
  EXPECT_EQ(received, "page");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(Output, ReportsADeviceThatIsFullAndLeavesItInPlace) {
  const TemporaryDirectory temporary;
  fs::create_symlink("/dev/full", temporary / "full");
  EXPECT_EQ(runtime_error_of([&] { write_output(temporary / "full", "page"); }),
            "cannot write " + (temporary / "full").string() + ": No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  write_output("/dev/null", "page");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(Output, ContinuesAnOpenDescriptor) {
  const TemporaryDirectory temporary;
  const OpenFile file(temporary / "a.txt", O_WRONLY | O_CREAT, "write");
  const std::string name = "/dev/fd/" + std::to_string(file.descriptor());
  write_output(name, "one ");
  write_output(name, "two");
  EXPECT_EQ(read_text(temporary / "a.txt"), "one two");
}

// ---- errors

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

TEST(Files, AreReadOnlyIfTheyAreRegular) {
  const TemporaryDirectory temporary;
  const fs::path pipe = temporary / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);  // a read would wait for a writer
  fs::create_symlink("/dev/zero", temporary / "zeros");
  for (const char* name : {"pipe", "zeros"}) {
    EXPECT_EQ(runtime_error_of([&] { read_file(temporary / name); }),
              "cannot read " + (temporary / name).string() + ": it is not a regular file");
  }
}

TEST(Files, AreReadOnlyUpToTheirLimit) {
  const TemporaryDirectory temporary;
  write_text(temporary / "a.txt", "12345");
  EXPECT_EQ(read_text(temporary / "a.txt", 5), "12345");
  EXPECT_EQ(runtime_error_of([&] { read_text(temporary / "a.txt", 4); }),
            "cannot read " + (temporary / "a.txt").string() + ": it has more than 4 bytes");
  fs::resize_file(temporary / "a.txt", std::uintmax_t{1} << 40);  // takes no space on the disk
  EXPECT_TRUE(runtime_error_of([&] {
                read_file(temporary / "a.txt");
              }).ends_with("it has more than 2147483648 bytes"));
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
            "cannot make the directory " + (temporary / "file").string() + ": Not a directory");
}

}  // namespace
}  // namespace plr
