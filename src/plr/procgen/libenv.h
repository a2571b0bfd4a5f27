// The C interface of Procgen's library.
//
// Own declarations of the functions of libenv.so of procgen 0.10.7 that are used: version 1 of
// gym3's "libenv" interface in part, and two functions for states.  Layouts are those of x86-64.
//
// The library ends the process on every error, so all arguments must be valid before a call.  An
// environment is not thread-safe; different environments may run concurrently.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plr::procgen::libenv {

inline constexpr int kVersion = 1;

enum class DType : std::int32_t { kUint8 = 1, kInt32 = 2 };

// A boolean is one byte, a number one 32-bit integer, a text its bytes without a terminator.
struct Option {
  char name[128];
  DType dtype;
  std::int32_t count;
  void* data;
};
static_assert(sizeof(Option) == 144 && offsetof(Option, data) == 136);

struct Options {
  Option* items;
  std::int32_t count;
};
static_assert(sizeof(Options) == 16);

// Pointers are indexed [tensor * num + environment].  There is one observation and one action;
// `info` has prev_level_seed (int32), prev_level_complete (one byte) and level_seed (int32).
struct Buffers {
  void** observations;  // bytes [64, 64, 3]
  float* rewards;
  std::uint8_t* first;  // 1: the observation is the first of an episode
  void** info;
  void** actions;  // int32; kForceReset: one step without a move, then the next episode
};
static_assert(sizeof(Buffers) == 40);

inline constexpr std::int32_t kForceReset = -1;
inline constexpr int kNumInfos = 3;

struct Functions {
  int (*version)();
  void* (*make)(int num, Options options);
  void (*set_buffers)(void* env, Buffers* buffers);  // once; begins the first episodes
  void (*act)(void* env);
  void (*close)(void* env);
  int (*get_state)(void* env, int index, char* data, int size);
  void (*set_state)(void* env, int index, char* data, int size);  // also updates the observation
};

}  // namespace plr::procgen::libenv
