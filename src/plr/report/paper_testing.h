// A folder of experiments for tests of the comparison with the paper.
#pragma once

#include <filesystem>
#include <string>

#include "plr/base/files.h"

namespace plr::report {

inline constexpr const char* kPaperNumbers =
    "table,env,method,mean,deviation,runs\n"
    "2,procgen/bigfish,uniform,4.0,1.0,10\n"
    "2,procgen/bigfish,plr,8.0,2.0,10\n"
    "2,procgen/coinrun,uniform,8.0,0.5,10\n"
    "2,procgen/coinrun,plr,9.0,0.5,10\n"
    "2,Procgen (easy),uniform,100.0,5.0,10\n"
    "2,Procgen (easy),plr,130.0,5.0,10\n"
    "2,minigrid/MultiRoom-N4-Random,uniform,0.80,0.04,3\n";
inline constexpr const char* kPaperSources =
    "table,envs,plan,planned,results\n"
    "2,Procgen (easy),procgen/easy,2,a b nowhere\n"
    "2,minigrid/MultiRoom-N4-Random,minigrid/multiroom,4,m\n";
inline constexpr const char* kRunColumns =
    "run,env,method,seed,behavior_version,finished,test_return\n";

// `bigfish` and `coinrun` are rows of runs.csv.
inline void write_experiments(const std::filesystem::path& folder, const std::string& bigfish,
                              const std::string& coinrun) {
  for (const char* name : {"paper", "a", "b"}) make_directories(folder / name);
  write_text(folder / "paper" / "returns.csv", kPaperNumbers);
  write_text(folder / "paper" / "sources.csv", kPaperSources);
  write_text(folder / "a" / "runs.csv", kRunColumns + bigfish);
  write_text(folder / "b" / "runs.csv", kRunColumns + coinrun);
}

inline constexpr const char* kBigfishRuns =
    "\"r\",procgen/bigfish,\"uniform\",1,1,1,3\n"
    "\"r\",procgen/bigfish,\"uniform\",2,1,1,5\n"
    "\"r\",procgen/bigfish,\"plr\",1,1,1,12\n"
    "\"r\",procgen/bigfish,\"plr\",2,1,0,40\n"              // not finished
    "\"r\",procgen/bigfish,\"plr, pool false\",2,1,1,40\n"  // another method
    "\"r\",procgen/bigfish-hard,\"plr\",2,1,1,40\n";        // another environment

}  // namespace plr::report
