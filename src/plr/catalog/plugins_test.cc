#include "plr/catalog/plugins.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "plr/base/files.h"
#include "plr/base/sha256.h"
#include "plr/catalog/check_env.h"
#include "plr/catalog/check_family.h"
#include "plr/catalog/make_env.h"
#include "plr/catalog/short_name.h"
#include "plr/env/plugin.h"
#include "plr/image/text_picture.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

namespace plr::catalog {
namespace {

namespace fs = std::filesystem;

const fs::path kCaves = PLR_CAVES;  // examples/plugin
const fs::path kBad = PLR_BAD_PLUGIN;

std::string error_of(const fs::path& file) {
  return invalid_argument_of([&] { load_plugin(file, NamedBy::kUser); });
}

// Plug-ins that the user has named are remembered in a temporary folder.
class Plugin : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("PLR_CACHE", cache_.path().c_str(), 1); }
  void TearDown() override { ::unsetenv("PLR_CACHE"); }

 private:
  TemporaryDirectory cache_;
};

// Loads a plug-in that makes this mistake; its path is left out of the message.
std::string mistake_error(const char* mistake) {
  ::setenv("PLR_MISTAKE", mistake, 1);
  const std::string error = error_of(kBad);
  ::unsetenv("PLR_MISTAKE");
  const std::string path = "plug-in " + fs::canonical(kBad).string() + " ";
  EXPECT_TRUE(error.starts_with(path)) << error;
  return error.substr(path.size());
}

TEST_F(Plugin, BringsAFamilyThatTheCatalogLists) {
  EXPECT_EQ(find_family("caves/gold"), nullptr);
  const std::size_t num_families = families().size();
  const std::span<const EnvInfo> before = environments();
  const EnvInfo* listed = find_environment("maze/random-25");

  const LoadedPlugin& plugin = load_plugin(kCaves, NamedBy::kUser);
  EXPECT_EQ(plugin.family, "caves");
  EXPECT_EQ(plugin.path, fs::canonical(kCaves).string());
  EXPECT_EQ(plugin.sha256, sha256(read_file(kCaves)));
  EXPECT_EQ(families().size(), num_families + 1);
  EXPECT_EQ(environments().size(), before.size() + 3);
  EXPECT_EQ(listed->name, "maze/random-25");  // earlier lists stay valid
  EXPECT_EQ(short_env_name("caves/gold"), "gold");
  EXPECT_EQ(report_group(*find_family("caves/gold"), "caves/gold"), "Caves");
  EXPECT_EQ(invalid_argument_of([] { check_env_name("caves/golb"); }),
            "unknown environment 'caves/golb'; did you mean caves/gold?");

  const auto classic = make_env("caves/classic", {.num_slots = 1});
  EXPECT_EQ(classic->level_name(1), "rooms");
  EXPECT_EQ(
      invalid_argument_of([] { make_env("caves/gold", {.observation = Observation::kView}); }),
      "observation: caves/gold offers full only, not view");
}

TEST_F(Plugin, IsLoadedOnceByAnyPathAndThread) {
  const TemporaryDirectory folder;
  const fs::path link = folder.path() / "link.so";
  fs::create_symlink(fs::absolute(kCaves), link);
  const LoadedPlugin& first = load_plugin(kCaves, NamedBy::kUser);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      EXPECT_EQ(&load_plugin(link, NamedBy::kUser), &first);
      EXPECT_NE(find_environment("caves/bats"), nullptr);
    });
  }
}

TEST_F(Plugin, ThatARunNamesIsLoadedOnlyIfTheUserHasNamedIt) {
  const TemporaryDirectory folder;
  const fs::path copy = folder.path() / "libcaves.so";
  fs::copy_file(kCaves, copy);
  const auto error = [&] { return invalid_argument_of([&] { load_plugin(copy, NamedBy::kRun); }); };
  const std::string unknown = "plug-in " + copy.string() +
                              " is named by a run, but not yet by you; if you trust it, give "
                              "--plugin " +
                              copy.string();
  // Both are in the way of the family that the example has brought, but only if they are loaded.
  const std::string loaded = "plug-in " + copy.string() +
                             " has an invalid family: there is a family 'caves' already; give this "
                             "one another name";
  load_plugin(kCaves, NamedBy::kUser);
  EXPECT_EQ(error(), unknown);
  EXPECT_EQ(error_of(copy), loaded);
  EXPECT_EQ(error(), unknown);  // it could not be loaded
  EXPECT_NO_THROW(load_plugin(kCaves, NamedBy::kRun));
}

TEST_F(Plugin, EnvironmentsOfTheExampleConform) {
  load_plugin(kCaves, NamedBy::kUser);
  for (const EnvInfo& info : find_family("caves/")->environments) {
    EXPECT_EQ(env_violations(info.name, Observation::kFull), std::vector<std::string>{})
        << info.name;
  }
}

TEST_F(Plugin, FilesThatAreNoPluginAreRefused) {
  const TemporaryDirectory folder;
  const fs::path text = folder.path() / "text.so";
  write_text(text, "not a library");
  EXPECT_EQ(error_of("no/such.so"),
            "plug-in no/such.so does not exist; name its file by --plugin FILE");
  EXPECT_EQ(error_of(folder.path()), "plug-in " + folder.path().string() + " is not a file");
  EXPECT_EQ(error_of(text), "plug-in " + text.string() + " cannot be loaded: file too short");
  const fs::path other = fs::canonical("/lib64/ld-linux-x86-64.so.2");
  if (!fs::exists(other)) GTEST_SKIP() << "another machine";
  EXPECT_EQ(error_of(other), "plug-in " + other.string() +
                                 " has no entry point plr_plugin; define it with PLR_PLUGIN "
                                 "(plr/env/plugin.h)");
}

TEST_F(Plugin, OfAnotherInterfaceIsRefused) {
  const std::string remedy = "; compile it with the headers of this version";
  EXPECT_EQ(mistake_error("version"),
            "has version 3 of the plug-in interface, but this program has version 2" + remedy);
  EXPECT_EQ(mistake_error("standard library"), std::string("was compiled with libc++, but this "
                                                           "program with ") +
                                                   PLR_STANDARD_LIBRARY +
                                                   "; build both with one compiler");
  const std::size_t count = plugin_types().size();
  EXPECT_EQ(mistake_error("types"), "shares " + std::to_string(count - 1) +
                                        " types, but this program " + std::to_string(count) +
                                        remedy);
  const std::size_t size = sizeof(EnvSpec);
  EXPECT_EQ(mistake_error("size"), "was compiled with another EnvSpec (" +
                                       std::to_string(size + 8) + " bytes, here " +
                                       std::to_string(size) + ")" + remedy);
  EXPECT_EQ(mistake_error("null"), "has an entry point that returns null");
}

TEST_F(Plugin, WithAnInvalidFamilyIsRefused) {
  EXPECT_EQ(mistake_error("error"), "failed to make its family: no memory");
  EXPECT_EQ(mistake_error("other error"), "failed to make its family");
  EXPECT_EQ(mistake_error("name"),
            "has an invalid family: family: its name must be letters, digits, - and _, not "
            "'my family'");
  EXPECT_EQ(mistake_error("title"), "has an invalid family: bad: title must not be empty");
}

TEST_F(Plugin, FieldsOfItsFamilyAreCheckedByName) {
  load_plugin(kCaves, NamedBy::kUser);
  const Family valid = *find_family("caves/");
  EXPECT_NO_THROW(check_family(valid));
  const auto error_with = [&](const auto& change) {
    Family family = valid;
    change(family);
    return invalid_argument_of([&] { check_family(family); });
  };
  EXPECT_EQ(error_with([](Family& f) { f.make = nullptr; }), "caves: make must not be null");
  EXPECT_EQ(error_with([](Family& f) { f.observations = {}; }),
            "caves: observations must not be empty");
  EXPECT_EQ(error_with([](Family& f) { f.observations = {Observation::kDefault}; }),
            "caves: observations must be kFull or kView");
  EXPECT_EQ(error_with([](Family& f) { f.environments = {}; }),
            "caves: environments must not be empty");
  EXPECT_EQ(error_with([](Family& f) { f.num_training_levels = 0; }),
            "caves: num_training_levels must be at least 1, not 0");
  EXPECT_EQ(error_with([](Family& f) { f.gpu_share.runs_per_gpu = 0; }),
            "caves: gpu_share.runs_per_gpu must be at least 1, not 0");
  EXPECT_EQ(error_with([](Family& f) { f.legend = [] { return image::Legend(); }; }),
            "caves: text and legend must both be given, or none");
  EXPECT_EQ(error_with([](Family& f) { f.environments[1].name = "mines/gold"; }),
            "caves: names of environments must begin with caves/, not 'mines/gold'");
  EXPECT_EQ(error_with([](Family& f) { f.environments[1].name = f.environments[0].name; }),
            "caves/gold: must be listed once");
  EXPECT_EQ(error_with([](Family& f) { f.short_name = [](auto) { return std::string("x"); }; }),
            "caves/bats: must have a short name of its own");
  EXPECT_EQ(error_with([](Family& f) { f.environments[0].summary = ""; }),
            "caves/gold: summary must not be empty");
  EXPECT_EQ(error_with([](Family& f) { f.environments[0].max_steps = 0; }),
            "caves/gold: max_steps must be at least 1, not 0");
  EXPECT_EQ(error_with([](Family& f) { f.action_names.pop_back(); }),
            "caves/gold: action_names must be empty or name 4 actions, not 3");
  EXPECT_EQ(error_with([](Family& f) {
              f.environments[2].returns = ReturnRange{1, 1};
            }),
            "caves/classic: returns must have a low that is below its high");
}

TEST_F(Plugin, WithTheNameOfAnotherFamilyIsRefused) {
  EXPECT_EQ(mistake_error("existing family"),
            "has an invalid family: there is a family 'maze' already; give this one another name");
}

}  // namespace
}  // namespace plr::catalog
