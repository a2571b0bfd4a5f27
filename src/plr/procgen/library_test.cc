// A damaged library or damaged images are refused before they are loaded, since the library itself
// would end the process.
#include "plr/procgen/library.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/error_message.h"
#include "tests/support/procgen_installed.h"
#include "tests/support/temporary_directory.h"

namespace plr::procgen {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRemedy =
    "; plr setup procgen fetches it, or PLR_PROCGEN names the folder procgen of an unpacked "
    "procgen 0.10.7 wheel (cp310, manylinux x86_64)";

std::string error_for(const fs::path& folder) {
  return runtime_error_of([&] { Library library(folder); });
}

TEST(Library, ThrowsIfNotInstalled) {
  const TemporaryDirectory empty;
  EXPECT_EQ(error_for(empty.path()), "Procgen: " + (empty / "data/prebuilt/libenv.so").string() +
                                         " does not exist" + kRemedy);
  EXPECT_EQ(error_for(empty / "nowhere"),
            "Procgen: " + (empty / "nowhere/data/prebuilt/libenv.so").string() + " does not exist" +
                kRemedy);
}

TEST(Library, IsCopiedOnceForAllThreads) {
  PLR_NEEDS_PROCGEN();
  constexpr int kNumWorkers = 8;  // four copies
  std::array<std::array<const Library*, kNumWorkers>, 2> found{};
  std::vector<std::thread> threads;
  for (auto& mine : found) {
    threads.emplace_back([&mine] {
      for (int w = 0; w < kNumWorkers; ++w)
        mine.at(w) = &Library::of_slot(w, kNumWorkers, kNumWorkers);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found[0], found[1]);
}

// A folder with the real library and images, which the tests damage.
class DamagedLibrary : public ::testing::Test {
 protected:
  void SetUp() override {
    PLR_NEEDS_PROCGEN();
    fs::create_directories(data_ / "prebuilt");
    const fs::path real = fs::absolute(std::getenv("PLR_PROCGEN")) / "data";
    fs::copy(real / "prebuilt/libenv.so", library_);
    fs::create_directory_symlink(real / "assets", data_ / "assets");
  }

  TemporaryDirectory folder_;
  fs::path data_ = folder_ / "data";
  fs::path library_ = data_ / "prebuilt/libenv.so";
};

TEST_F(DamagedLibrary, LoadsIfNothingIsDamaged) { EXPECT_NO_THROW(Library{folder_.path()}); }

// What is loaded is never unloaded, so that loading it again must take no more memory.
TEST_F(DamagedLibrary, IsLoadedOncePerFolder) {
  const Library first(folder_.path());
  const Library second(folder_.path());
  EXPECT_EQ(first.functions().make, second.functions().make);
}

TEST_F(DamagedLibrary, RefusesAFlippedBit) {
  std::fstream file(library_, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(20'000'000);
  const char byte = static_cast<char>(file.get() ^ 1);
  file.seekp(20'000'000);
  file.put(byte);
  file.close();
  EXPECT_EQ(error_for(folder_.path()),
            "Procgen: " + library_.string() + " is of another build or damaged" + kRemedy);
}

TEST_F(DamagedLibrary, RefusesATruncatedFile) {
  fs::resize_file(library_, fs::file_size(library_) - 1);
  EXPECT_EQ(error_for(folder_.path()),
            "Procgen: " + library_.string() + " is of another build or damaged" + kRemedy);
}

TEST_F(DamagedLibrary, RefusesMissingImages) {
  fs::remove(data_ / "assets");
  EXPECT_EQ(error_for(folder_.path()),
            "Procgen: " + (data_ / "assets/").string() + " has 0 of 1288 images" + kRemedy);
  fs::create_directory(data_ / "assets");
  std::ofstream(data_ / "assets/one.png") << "no picture";
  EXPECT_EQ(error_for(folder_.path()),
            "Procgen: " + (data_ / "assets/").string() + " has 1 of 1288 images" + kRemedy);
}

TEST_F(DamagedLibrary, RefusesImagesOfAnotherSize) {
  fs::remove(data_ / "assets");
  fs::create_directory(data_ / "assets");
  for (int i = 0; i < 1288; ++i) std::ofstream(data_ / "assets" / (std::to_string(i) + ".png"));
  EXPECT_EQ(error_for(folder_.path()),
            "Procgen: " + (data_ / "assets/").string() + " has damaged images" + kRemedy);
}

}  // namespace
}  // namespace plr::procgen
