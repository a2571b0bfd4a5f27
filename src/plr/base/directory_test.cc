#include "plr/base/directory.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "plr/base/files.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

namespace plr {
namespace {

namespace fs = std::filesystem;

using Names = std::vector<std::string>;

TEST(Directory, RefusesALinkInThePlaceOfAFile) {
  const TemporaryDirectory temporary;
  write_text(temporary / "precious", "kept");
  fs::create_symlink(temporary / "precious", temporary / "log");
  const Directory directory(temporary.path(), "write");
  EXPECT_EQ(runtime_error_of([&] { directory.open("log", O_WRONLY | O_TRUNC, "write"); }),
            "cannot write " + (temporary / "log").string() +
                ": it is a symbolic link, and links inside a folder are not followed; replace it "
                "by what it refers to");
  EXPECT_EQ(read_text(temporary / "precious"), "kept");
}

TEST(Directory, RefusesALinkInThePlaceOfADirectory) {
  const TemporaryDirectory temporary;
  fs::create_directory(temporary / "elsewhere");
  fs::create_directory_symlink(temporary / "elsewhere", temporary / "inner");
  const Directory directory(temporary.path(), "write");
  EXPECT_TRUE(runtime_error_of([&] {
                directory.make_directory("inner");
              }).ends_with("replace it by what it refers to"));
  EXPECT_EQ(directory.directory_names(), Names{"elsewhere"});
}

TEST(Directory, RemovesLinksNotWhatTheyReferTo) {
  const TemporaryDirectory temporary;
  fs::create_directories(temporary / "elsewhere");
  write_text(temporary / "elsewhere/precious", "kept");
  fs::create_directories(temporary / "old/inner");
  write_text(temporary / "old/inner/file", "");
  fs::create_directory_symlink(temporary / "elsewhere", temporary / "old/link");
  const Directory directory(temporary.path(), "write");
  directory.remove("old");
  directory.remove("old");
  EXPECT_EQ(directory.names(), Names{"elsewhere"});
  EXPECT_EQ(read_text(temporary / "elsewhere/precious"), "kept");
}

TEST(Directory, ExchangesTwoEntries) {
  const TemporaryDirectory temporary;
  write_text(temporary / "a", "1");
  write_text(temporary / "b", "2");
  const Directory directory(temporary.path(), "write");
  EXPECT_TRUE(directory.exchange("a", "b"));
  EXPECT_EQ(read_text(temporary / "a"), "2");
  EXPECT_FALSE(directory.exchange("a", "missing"));
}

}  // namespace
}  // namespace plr
