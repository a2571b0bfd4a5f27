// Lanes of the queue, shown by an inference whose results the tests write.
#include "plr/collect/batch_queue.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/support/error_message.h"

namespace plr::collect {
namespace {

constexpr int kNumSlots = 3;

class HeldInference final : public Inference {
 public:
  std::span<std::uint8_t> observations() override { return observations_; }
  std::span<InferenceResult> results() override { return results_; }
  bool takes_any_batch() const override { return true; }
  std::size_t num_lanes() const override { return 2; }
  void refresh() override {}
  void submit(std::size_t lane, std::span<const InferenceItem> items) override {
    for (const InferenceItem& item : items) submitted.emplace_back(lane, item.slot);
  }
  void check_device() override {}

  std::vector<std::pair<std::size_t, int>> submitted;  // lane and slot

 private:
  std::vector<std::uint8_t> observations_ = std::vector<std::uint8_t>(kNumSlots);
  std::vector<InferenceResult> results_ = std::vector<InferenceResult>(kNumSlots);
};

class BatchQueueTest : public ::testing::Test {
 protected:
  BatchQueueTest() {
    Random actions = Streams(1).named("actions");
    queue_.begin_rollout(actions);
  }

  // The first observation of a slot.
  void observe(std::size_t slot) {
    mark_pending(inference_.results()[slot]);
    slots_[slot].num_observed = 1;
  }
  bool submit_ready() { return queue_.submit_ready(slots_); }

  HeldInference inference_;
  std::vector<SlotProgress> slots_ = std::vector<SlotProgress>(kNumSlots);
  BatchQueue queue_{inference_, {.num_steps = 1, .num_slots = kNumSlots}, 2};
};

TEST_F(BatchQueueTest, SubmitsEachObservationOnce) {
  EXPECT_FALSE(submit_ready());
  observe(0);
  observe(2);
  EXPECT_TRUE(submit_ready());
  EXPECT_FALSE(submit_ready());
  EXPECT_EQ(inference_.submitted, (std::vector<std::pair<std::size_t, int>>{{0, 0}, {0, 2}}));
}

TEST_F(BatchQueueTest, ALaneIsFreeWhenAllResultsOfItsBatchAreWritten) {
  observe(0);
  EXPECT_TRUE(submit_ready());
  observe(1);
  EXPECT_TRUE(submit_ready());
  observe(2);
  EXPECT_FALSE(submit_ready());  // both lanes have a batch
  write_result({}, inference_.results()[1]);
  EXPECT_TRUE(submit_ready());
  EXPECT_EQ(inference_.submitted,
            (std::vector<std::pair<std::size_t, int>>{{0, 0}, {1, 1}, {1, 2}}));
}

TEST_F(BatchQueueTest, ALaneIsFreeWhenItsSlotsHaveFinishedTheStep) {
  observe(0);
  EXPECT_TRUE(submit_ready());
  observe(1);
  EXPECT_TRUE(submit_ready());
  // Slot 0 has used its result, and its place waits for the next one.
  slots_[0].num_finished = 1;
  observe(2);
  EXPECT_TRUE(submit_ready());
  EXPECT_EQ(inference_.submitted.back(), (std::pair<std::size_t, int>{0, 2}));
}

TEST_F(BatchQueueTest, CheckDeviceThrowsIfResultsAreMissing) {
  EXPECT_NO_THROW(queue_.check_device(slots_));
  observe(0);
  submit_ready();
  EXPECT_EQ(runtime_error_of([&] { queue_.check_device(slots_); }),
            "the device has finished inference without writing its results");
  write_result({}, inference_.results()[0]);
  EXPECT_NO_THROW(queue_.check_device(slots_));
}

}  // namespace
}  // namespace plr::collect
