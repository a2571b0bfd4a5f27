#include "plr/run/json_lines.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "plr/base/files.h"
#include "tests/support/child_process.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

namespace plr::run {
namespace {

TEST(JsonLines, HoldOneRecordPerLineWithItsFieldsInOrder) {
  const TemporaryDirectory temporary;
  JsonLines log(temporary / "log.jsonl");
  log.append({{"update", 1}, {"loss", 0.1}, {"text", "two\nlines"}});
  log.append({{"update", 2}, {"loss", std::nan("")}});
  EXPECT_EQ(read_text(temporary / "log.jsonl"),
            "{\"update\":1,\"loss\":0.1,\"text\":\"two\\nlines\"}\n"
            "{\"update\":2,\"loss\":null}\n");
}

TEST(JsonLines, AppendToAnExistingFile) {
  const TemporaryDirectory temporary;
  JsonLines(temporary / "log.jsonl").append({{"a", 1}});
  JsonLines log(temporary / "log.jsonl");
  EXPECT_EQ(log.size(), 8U);  // {"a":1} and a newline
  log.append({{"a", 2}});
  EXPECT_EQ(log.size(), 16U);
  EXPECT_EQ(read_text(temporary / "log.jsonl"), "{\"a\":1}\n{\"a\":2}\n");
}

TEST(JsonLines, ContinueFromTheSizeTheyAreTruncatedTo) {
  const TemporaryDirectory temporary;
  std::uint64_t size = 0;
  {
    JsonLines log(temporary / "log.jsonl");
    log.append({{"a", 1}});
    size = log.size();
    log.append({{"a", 2}});
    log.sync();
  }
  // A kill in the middle of a record.
  std::ofstream(temporary / "log.jsonl", std::ios::app) << "{\"a\":";

  JsonLines resumed(temporary / "log.jsonl");
  resumed.truncate(size);
  resumed.append({{"a", 3}});
  EXPECT_EQ(resumed.size(), 16U);
  EXPECT_EQ(read_text(temporary / "log.jsonl"), "{\"a\":1}\n{\"a\":3}\n");
}

TEST(JsonLines, CannotBeTruncatedToMoreThanTheirSize) {
  const TemporaryDirectory temporary;
  JsonLines log(temporary / "log.jsonl");
  log.append({{"a", 1}});
  EXPECT_EQ(runtime_error_of([&] { log.truncate(9); }),
            (temporary / "log.jsonl").string() +
                " has 8 bytes, but the checkpoint has recorded 9: its end is lost; "
                "restore the file, or start a new run in another folder");
  EXPECT_EQ(log.size(), 8U);
}

TEST(JsonLines, ReplaceInvalidUtf8) {
  const TemporaryDirectory temporary;
  JsonLines log(temporary / "log.jsonl");
  log.append({{"name", "a\xff"}});
  EXPECT_EQ(read_text(temporary / "log.jsonl"), "{\"name\":\"a\xef\xbf\xbd\"}\n");  // U+FFFD
}

TEST(JsonLines, RefuseADeviceAPipeOrALink) {
  EXPECT_EQ(runtime_error_of([&] { JsonLines("/dev/full"); }),
            "cannot write /dev/full: it is not a regular file");
  const TemporaryDirectory temporary;
  ASSERT_EQ(::mkfifo((temporary / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(runtime_error_of([&] { JsonLines(temporary / "pipe"); }),
            "cannot write " + (temporary / "pipe").string() + ": it is not a regular file");
  write_text(temporary / "precious", "kept");
  std::filesystem::create_symlink("precious", temporary / "log.jsonl");
  EXPECT_THROW(JsonLines(temporary / "log.jsonl"), std::runtime_error);
  EXPECT_EQ(read_text(temporary / "precious"), "kept");
}

TEST(JsonLines, NoticeThatTheirFileWasRemovedOrReplaced) {
  const TemporaryDirectory temporary;
  const std::filesystem::path path = temporary / "log.jsonl";
  for (const bool replaced : {false, true}) {
    JsonLines log(path);
    log.append({{"a", 1}});
    std::filesystem::remove(path);
    if (replaced) write_text(path, "");
    EXPECT_EQ(runtime_error_of([&] {
                log.append({{"a", 2}});
              }),
              "cannot write " + path.string() +
                  ": it was removed or replaced since it was opened; restore the file, or start a "
                  "new run in another folder");
  }
}

// ---- the seal

// Three records, of which the checkpoint has the first two.
struct Sealed {
  explicit Sealed(const std::filesystem::path& path) {
    JsonLines log(path);
    log.append({{"a", 1}});
    log.append({{"a", 2}});
    seal = log.seal();
    log.append({{"a", 3}});
  }
  LogSeal seal;
};

TEST(JsonLines, KeepTheirSealWhenTheyGrow) {
  const TemporaryDirectory temporary;
  const Sealed sealed(temporary / "log.jsonl");
  JsonLines log(temporary / "log.jsonl");
  EXPECT_NO_THROW(log.expect(16, &sealed.seal));
  log.truncate(16);
  EXPECT_EQ(log.seal().first_difference(sealed.seal), std::nullopt);
  log.append({{"a", 3}});
  EXPECT_EQ(log.seal().first_difference(sealed.seal), 3U);
}

TEST(JsonLines, NameTheFirstLineThatWasChanged) {
  const TemporaryDirectory temporary;
  const std::filesystem::path path = temporary / "log.jsonl";
  const auto error = [&](const std::string& text) {
    const Sealed sealed(path);
    write_text(path, text);
    const std::string message = runtime_error_of([&] { JsonLines(path).expect(16, &sealed.seal); });
    EXPECT_EQ(read_text(path), text);
    std::filesystem::remove(path);
    return message.substr(0, message.find(';'));
  };
  const std::string changed = ": the file was changed here after the checkpoint";
  EXPECT_EQ(error("{\"a\":1}\n{\"a\":7}\n{\"a\":3}\n"), path.string() + ":2" + changed);
  EXPECT_EQ(error("{\"a\":1} \n{\"a\":2}\n{\"a\":3}\n"), path.string() + ":1" + changed);
  EXPECT_EQ(error("{\"a\":1}\n\n{\"a\":2}\n"), path.string() + ":2" + changed);
}

TEST(LogSeal, RoundTripsAndRefusesMoreLinesThanBytes) {
  LogSeal seal;
  seal.add(std::as_bytes(std::span("one\ntwo\nthr", 11)));
  ByteWriter writer;
  seal.save(writer);
  std::vector<std::byte> bytes = writer.seal("logs", 1);
  ByteReader reader(bytes, "logs", 1);
  EXPECT_EQ(LogSeal::load(reader).first_difference(seal), std::nullopt);
  writer.number(std::uint64_t{1});  // size
  writer.number(std::uint64_t{0});  // checksum
  writer.numbers(std::span<const std::uint32_t>({1, 2}));
  bytes = writer.seal("logs", 1);
  ByteReader hostile(bytes, "logs", 1);
  EXPECT_THROW(LogSeal::load(hostile), std::runtime_error);
}

TEST(JsonLines, LeaveNoPartialRecordOnAFullDisk) {
  const TemporaryDirectory temporary;
  JsonLines log(temporary / "log.jsonl");
  log.append({{"a", 1}});
  const std::string error = error_with_small_disk(20, [&] {
    log.append({{"a", std::string(100, 'x')}});
  });
  EXPECT_EQ(error, "cannot write " + (temporary / "log.jsonl").string() + ": File too large");
  EXPECT_EQ(read_text(temporary / "log.jsonl"), "{\"a\":1}\n");
}

TEST(JsonLines, ReportAFileThatCannotBeCreated) {
  const TemporaryDirectory temporary;
  EXPECT_EQ(
      runtime_error_of([&] { JsonLines(temporary / "no/log.jsonl"); }),
      "cannot write " + (temporary / "no/log.jsonl").string() + ": No such file or directory");
}

TEST(JsonLines, HaveOneWriterAtATime) {
  const TemporaryDirectory temporary;
  const std::filesystem::path path = temporary / "log.jsonl";
  {
    const JsonLines first(path);
    try {
      const JsonLines second(path);
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), "cannot write " + path.string() +
                                  ": another process is writing it; wait until it has finished, "
                                  "or stop it");
    }
  }
  EXPECT_NO_THROW(JsonLines{path});
}

}  // namespace
}  // namespace plr::run
