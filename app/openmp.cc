// Bounds how long the threads of libtorch spin before they sleep while they wait for each other.
//
// libtorch computes with the threads of libgomp. By default these spin for milliseconds at the end
// of every parallel loop. If other processes use the CPUs too, the spinning threads take them from
// the threads that they wait for. If they do not spin at all, they sleep and wake thousands of
// times per second, and two threads on two idle CPUs are slower than one (docs/performance.md has
// measurements of both).
//
// libgomp reads GOMP_SPINCOUNT when it is loaded, so that main() is too late to set it. The
// function below is called by the dynamic linker before the initialization of any library; it sets
// the variable and executes the program again, once, which takes 10 ms there and 250 ms after the
// initialization of libtorch. A value that the user has set is kept. Verbs that do not use libtorch
// are not affected.
//
// The C library is not initialized yet: only system calls and functions on strings can be used.
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include <initializer_list>

namespace {

constexpr char kSpinCount[] = "GOMP_SPINCOUNT=1000";

bool begins_with(const char* text, const char* prefix) {
  return ::strncmp(text, prefix, ::strlen(prefix)) == 0;
}

bool uses_libtorch(const char* verb) {
  for (const char* name : {"train", "eval", "play", "experiment", "bench"}) {
    if (::strcmp(verb, name) == 0) return true;
  }
  return false;
}

void bound_openmp_spinning(int argc, char** argv, char** environment) {
  if (argc < 2 || !uses_libtorch(argv[1])) return;
  constexpr int kMaxVariables = 4096;
  static char* variables[kMaxVariables + 2];
  int count = 0;
  for (; environment[count] != nullptr; ++count) {
    const char* variable = environment[count];
    if (begins_with(variable, "OMP_WAIT_POLICY=") || begins_with(variable, "GOMP_SPINCOUNT=")) {
      return;
    }
    if (count == kMaxVariables) return;
    variables[count] = environment[count];
  }
  variables[count] = const_cast<char*>(kSpinCount);
  static char program[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", program, sizeof program - 1);
  if (length < 0) return;
  program[length] = '\0';
  ::execve(program, argv, variables);
  // Reached only if the program's file is gone: then its threads spin as libgomp does by default.
}

}  // namespace

__attribute__((section(".preinit_array"),
               used)) static void (*const kBeforeLibraries)(int, char**,
                                                            char**) = &bound_openmp_spinning;
