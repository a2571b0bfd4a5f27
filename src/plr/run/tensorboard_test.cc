// tests/run/tensorboard_test.py reads such files with TensorBoard.
#include "plr/run/tensorboard.h"

#include <gtest/gtest.h>

#include <string>

#include "plr/base/files.h"
#include "plr/run/crc32c.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

namespace plr::run {
namespace {

TEST(Crc32c, AgreesWithTheExamplesOfRfc3720) {
  const std::vector<std::byte> zeros(32, std::byte{0});
  const std::vector<std::byte> ones(32, std::byte{0xff});
  std::vector<std::byte> rising(32);
  for (std::size_t i = 0; i < 32; ++i) rising[i] = static_cast<std::byte>(i);
  EXPECT_EQ(crc32c(zeros), 0x8a9136aaU);
  EXPECT_EQ(crc32c(ones), 0x62a8ab43U);
  EXPECT_EQ(crc32c(rising), 0x46dd794eU);
}

TEST(EventFile, TruncatedAndContinuedEqualsAnUninterruptedOne) {
  const TemporaryDirectory temporary;
  EventFile whole(temporary / "whole.tfevents", 100.5);
  EXPECT_EQ(whole.size(), 40U);  // 16 of framing, 9 of time, 2 + 13 of "brain.Event:2"
  whole.scalars(1, 101, {{"a", 1.5F}});
  whole.scalars(2, 102, {{"b", 2.5F}});

  std::uint64_t size = 0;
  {
    EventFile cut(temporary / "cut.tfevents", 100.5);
    cut.scalars(1, 101, {{"a", 1.5F}});
    size = cut.size();
    cut.scalars(7, 107, {{"lost", 7.5F}});
    cut.sync();
  }
  EventFile cut(temporary / "cut.tfevents", 200.5);  // the time of the first event is kept
  cut.truncate(size);
  cut.scalars(2, 102, {{"b", 2.5F}});
  EXPECT_EQ(cut.size(), whole.size());
  EXPECT_EQ(read_text(temporary / "cut.tfevents"), read_text(temporary / "whole.tfevents"));
}

TEST(EventFile, StartsOverIfTheFirstEventIsIncomplete) {
  const TemporaryDirectory temporary;
  { const EventFile whole(temporary / "whole.tfevents", 100.5); }
  const std::string bytes = read_text(temporary / "whole.tfevents");
  write_text(temporary / "cut.tfevents", bytes.substr(0, 17));
  const EventFile cut(temporary / "cut.tfevents", 100.5);
  EXPECT_EQ(cut.size(), 40U);
  EXPECT_EQ(read_text(temporary / "cut.tfevents"), bytes);
}

TEST(EventFile, StartsOverIfTheFirstEventIsNotOnDisk) {
  const TemporaryDirectory temporary;
  { const EventFile whole(temporary / "whole.tfevents", 100.5); }
  const std::string bytes = read_text(temporary / "whole.tfevents");
  // A loss of power keeps a later write and loses the first one.
  write_text(temporary / "torn.tfevents", bytes.substr(0, 17) + std::string(23, '\0') + "later");
  const EventFile torn(temporary / "torn.tfevents", 100.5);
  EXPECT_EQ(torn.size(), 40U);
  EXPECT_EQ(read_text(temporary / "torn.tfevents"), bytes);
}

TEST(EventFile, ClearKeepsTheFirstEvent) {
  const TemporaryDirectory temporary;
  EventFile file(temporary / "a.tfevents", 100.5);
  file.scalars(1, 101.5, {{"a", 0.5}});
  EXPECT_TRUE(file.has_events());
  file.clear();
  EXPECT_FALSE(file.has_events());
  EXPECT_EQ(file.size(), 40U);
}

TEST(EventFile, RefusesAFileOfAnotherFormat) {
  const TemporaryDirectory temporary;
  const std::string other(100, 'x');
  write_text(temporary / "a.tfevents", other);
  EXPECT_EQ(
      runtime_error_of([&] { EventFile(temporary / "a.tfevents", 1); }),
      (temporary / "a.tfevents").string() + " is not a TensorBoard event file; move it elsewhere");
  EXPECT_EQ(read_text(temporary / "a.tfevents"), other);
}

}  // namespace
}  // namespace plr::run
