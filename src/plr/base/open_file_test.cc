#include "plr/base/open_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "plr/base/files.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

namespace {

bool has_locks = true;

}  // namespace

// Takes precedence over that of the C library: a file system that may have no locks. The system has
// a struct of the same name.
#pragma GCC diagnostic ignored "-Wshadow"
extern "C" int flock(int file, int operation) noexcept {
  if (has_locks) return static_cast<int>(::syscall(SYS_flock, file, operation));
  errno = ENOLCK;
  return -1;
}

namespace plr {
namespace {

namespace fs = std::filesystem;

TEST(OpenFile, CanBeLockedOnce) {
  const TemporaryDirectory temporary;
  OpenFile first(temporary / "a", O_WRONLY | O_CREAT, "write");
  first.lock();
  for (const Locking locking : {Locking::kRequired, Locking::kIfSupported}) {
    OpenFile second(temporary / "a", O_WRONLY, "write");
    EXPECT_EQ(runtime_error_of([&] { second.lock(locking); }),
              "cannot write " + (temporary / "a").string() +
                  ": another process is writing it; wait until it has finished, or stop it");
  }
}

TEST(OpenFile, IsWrittenWithoutLocksOnlyIfTheCallerAgrees) {
  const TemporaryDirectory temporary;
  OpenFile file(temporary / "a", O_WRONLY | O_CREAT, "write");
  has_locks = false;
  EXPECT_EQ(runtime_error_of([&] { file.lock(); }),
            "cannot lock " + (temporary / "a").string() +
                ": No locks available; use --no-lock if no other process writes it");
  EXPECT_NO_THROW(file.lock(Locking::kIfSupported));
  has_locks = true;
}

TEST(OpenFile, KnowsThatItsNameWasRemovedOrReplaced) {
  const TemporaryDirectory temporary;
  write_text(temporary / "a", "");
  const OpenFile file(temporary / "a", O_WRONLY, "write");
  EXPECT_TRUE(file.is_in_place());
  write_text(temporary / "a", "");
  EXPECT_FALSE(file.is_in_place());
  fs::remove(temporary / "a");
  EXPECT_FALSE(file.is_in_place());
}

}  // namespace
}  // namespace plr
