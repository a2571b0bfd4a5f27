// The protocol is tested with Python as the other side, in tests/python/own_env_test.py.
#include "plr/remote/slot_process.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "plr/remote/family.h"
#include "plr/remote/remote_env.h"
#include "tests/support/error_message.h"

namespace plr::remote {
namespace {

TEST(RemoteSpec, IsReadFromLinesOfText) {
  const RemoteSpec bytes = parse_spec(
      "observation_shape 4 7 1\nobservation_type byte\ndiscrete 2\nmax_steps 20\ncan_save 1");
  EXPECT_EQ(bytes.observation_shape, (std::array{4, 7, 1}));
  EXPECT_EQ(bytes.observation_type, ElementType::kByte);
  EXPECT_EQ(bytes.actions, ActionSpace::discrete(2));
  EXPECT_EQ(bytes.max_steps, 20);
  EXPECT_TRUE(bytes.can_save);

  const RemoteSpec floats = parse_spec(
      "observation_shape 1 1 3\nobservation_type float\ncontinuous -2.5 -inf 2.5 inf\n"
      "max_steps 200\ncan_save 0");
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(floats.observation_type, ElementType::kFloat);
  EXPECT_EQ(floats.actions, ActionSpace::continuous({-2.5F, -infinity}, {2.5F, infinity}));
  EXPECT_FALSE(floats.can_save);
  EXPECT_EQ(parse_spec("observation_shape 1 1 3\nmulti_discrete 2 5\nmax_steps 1").actions,
            ActionSpace::multi_discrete({2, 5}));
}

TEST(RemoteSpec, OfWrongTextIsRefused) {
  for (const char* text : {"", "observation_shape 4 7\ndiscrete 2\nmax_steps 20",
                           "observation_shape 4 7 1\ndiscrete 0\nmax_steps 20",
                           "observation_shape 4 7 1\ndiscrete 2\nmax_steps 0"}) {
    EXPECT_TRUE(runtime_error_of([&] {
                  parse_spec(text);
                }).starts_with("the Python environment has an invalid description"));
  }
}

TEST(RemoteEnv, NeedsAListener) {
  EXPECT_EQ(runtime_error_of([] { RemoteEnv("python/x", "/no/socket", {.num_slots = 1}); }),
            "cannot connect to the Python environment at /no/socket: No such file or directory");
  EXPECT_EQ(runtime_error_of([] { family().make("python/x", {}); }),
            "python/x is an environment in Python: use plr.train(make_env, ...), with "
            "resume=FOLDER to continue a run, and plr.torch.load_policy(FOLDER) to play its agent");
}

}  // namespace
}  // namespace plr::remote
