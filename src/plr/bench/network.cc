#include "plr/bench/network.h"

#include <cstdint>
#include <vector>

#include "plr/base/fields.h"
#include "plr/base/random.h"
#include "plr/learn/grid_cnn_network.h"
#include "plr/learn/impala_network.h"
#include "plr/learn/lstm_network.h"
#include "plr/train/config.h"

namespace plr::bench {

learn::Network make_network(PresetNetwork network, learn::Precision precision, at::Device device) {
  const Random init = Streams(1).named("init");
  if (network == PresetNetwork::kProcgen) {
    return learn::make_impala_network({64, 64, 3, 15}, {}, init, precision, device);
  }
  if (network == PresetNetwork::kMaze) {
    return learn::make_lstm_network(
        {.height = 5, .width = 5, .channels = 4, .actions = 7, .num_directions = 4}, {}, init,
        precision, device);
  }
  const std::int64_t side = network == PresetNetwork::kMultiroom ? 14 : 19;
  return learn::make_grid_cnn_network(
      {side, side, 3, 7}, train::preset("minigrid-" + to_text(network)).network.grid_cnn, init,
      precision, device);
}

learn::Rollout noise(const learn::RolloutSize& size, PresetNetwork network,
                     const learn::Network& made) {
  const std::uint64_t num_codes = network == PresetNetwork::kProcgen ? 256 : 11;
  Random random = Streams(1).named("noise");
  const auto uniform = [&] { return static_cast<float>(random.uniform()); };
  learn::Rollout rollout(size, made.shape(), made.device(), made.state_size());
  std::vector<std::uint8_t> obs(static_cast<std::size_t>(rollout.obs()[0].numel()));
  for (std::uint8_t& x : obs) x = static_cast<std::uint8_t>(random.below(num_codes));
  for (std::size_t t = 0; t <= size.num_steps; ++t) rollout.set_obs(t, obs);
  const auto actions = static_cast<std::uint64_t>(made.shape().actions.num_choices());
  for (std::int32_t& a : rollout.actions.all()) {
    a = static_cast<std::int32_t>(random.below(actions));
  }
  for (float& x : rollout.log_probs.all()) x = -2;
  for (float& x : rollout.values.all()) x = uniform();
  for (float& x : rollout.rewards.all()) x = uniform();
  learn::compute_advantages(rollout, 0.999, 0.95);
  return rollout;
}

}  // namespace plr::bench
