#include "plr/reference/pages.h"

#include <gtest/gtest.h>

#include "plr/experiment/plan_file.h"
#include "plr/reference/run_files.h"
#include "plr/reference/settings.h"
#include "plr/train/config.h"

namespace plr::reference {
namespace {

bool contains(const std::string& page, const std::string& part) {
  return page.find(part) != std::string::npos;
}

TEST(SettingsPage, HasEverySettingAndEveryPreset) {
  const std::string page = settings_page();
  for (const auto& [name, value] : train::values_of(train::TrainConfig{})) {
    EXPECT_TRUE(contains(page, "| `" + name + "` |")) << name;
  }
  for (const auto& [name, summary] : train::presets()) {
    EXPECT_TRUE(contains(page, "### " + name + "\n\n" + summary)) << name;
  }
}

TEST(SettingsPage, LinksCodesAndListsValues) {
  const std::string page = settings_page();
  EXPECT_TRUE(contains(page, "[D4](../algorithm.md#d4)"));
  EXPECT_TRUE(contains(page, "- `value_l1`: mean |A|"));
}

TEST(RunFiles, HaveAMeaningForEveryField) {
  std::size_t num_fields = 0;
  for (const RunFileText& file : run_files()) {
    EXPECT_FALSE(file.meaning.empty()) << file.name;
    for (const FieldText& field : file.fields) {
      EXPECT_FALSE(field.meaning.empty()) << file.name << ": " << field.name;
      ++num_fields;
    }
  }
  EXPECT_GT(num_fields, 60);
  EXPECT_TRUE(contains(run_files_page(), "| `test_levels[].solved` | whole number |"));
}

// Lines that the page lists are lines that the parser knows.
TEST(ExperimentPage, ListsLinesThatAreAccepted) {
  for (const experiment::PlanLine& line : experiment::kPlanLines) {
    const std::string name(line.name);
    const bool is_section = name.starts_with("[");
    const std::string toml =
        is_section ? "seed = 1\n" + name + "\nsteps = 100000\n" : name + " = \"1\"\n";
    EXPECT_NO_THROW(experiment::parse_plan_file(toml, "try.toml")) << name;
    EXPECT_TRUE(contains(experiment_page(), "| `" + name + "` |"));
  }
}

}  // namespace
}  // namespace plr::reference
