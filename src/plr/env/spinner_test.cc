#include "plr/env/spinner.h"

#include <gtest/gtest.h>

namespace plr {
namespace {

using namespace std::chrono_literals;

TEST(Spinner, MeasuresTheTimeSinceItsFirstPause) {
  Spinner spinner;
  EXPECT_EQ(spinner.waited(), 0s);
  const auto begin = Spinner::Clock::now();
  while (spinner.waited() < 200us) spinner.pause();
  EXPECT_LE(spinner.waited(), Spinner::Clock::now() - begin);
}

TEST(Spinner, StartsOverAfterReset) {
  Spinner spinner;
  while (spinner.waited() < 50us) spinner.pause();
  spinner.reset();
  EXPECT_EQ(spinner.waited(), 0s);
  spinner.pause();
  EXPECT_EQ(spinner.waited(), 0s);  // until the first pause, which has begun the wait
}

}  // namespace
}  // namespace plr
