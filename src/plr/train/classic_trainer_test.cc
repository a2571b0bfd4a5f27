// Training on float observations: discrete, multi-discrete and continuous actions, with MLP and
// LSTM, with normalized observations.
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "plr/train/saved_agent.h"
#include "plr/train/trainer_testing.h"
#include "plr/train/watched_episode.h"
#include "tests/support/error_message.h"

namespace plr::train {
namespace {

TrainConfig tiny_classic(const std::string& env) {
  TrainConfig config = tiny();
  config.task.env = env;
  config.schedule.steps = 6 * 240;
  config.rewards.normalize_rewards = false;
  return config;
}

class ClassicTrainer : public TrainerTest {};

TEST_F(ClassicTrainer, ResumesBitwiseIdenticallyAfterAStop) {
  using Change = std::function<void(TrainConfig&)>;
  const std::vector<std::pair<std::string, Change>> kinds = {
      {"CartPole", [](TrainConfig&) {}},
      {"Pendulum", [](TrainConfig& c) { c.network.normalizer.enabled = true; }},
      {"TwinCartPole", [](TrainConfig& c) { c.scorer.score_function = ScoreFunction::kMinMargin; }},
      {"Pendulum", [](TrainConfig& c) { c.network.network = NetworkChoice::kLstm; }}};
  int number = 0;
  for (const auto& [env, change] : kinds) {
    TrainConfig config = tiny_classic("classic/" + env);
    change(config);
    expect_exact_resume(config, run(env + std::to_string(number++)));
  }
}

TEST_F(ClassicTrainer, IsBitwiseIdenticalForAnyNumberOfWorkers) {
  for (const std::string env : {"CartPole", "TwinCartPole", "Pendulum"}) {
    TrainConfig config = tiny_classic("classic/" + env);
    config.env.num_workers = 1;
    EXPECT_TRUE(Trainer(config, run(env + "1")).run({}));
    config.env.num_workers = 3;
    EXPECT_TRUE(Trainer(config, run(env + "3")).run({}));
    expect_same_run(run(env + "1"), run(env + "3"));
  }
}

// A random agent keeps the pole up for about 22 steps.
TEST_F(ClassicTrainer, LearnsCartPoleInTwentyThousandSteps) {
  TrainConfig config = preset("cartpole");
  config.task.env = "classic/CartPole-Fixed";
  config.task.curriculum = CurriculumKind::kUniform;
  config.compute = {.device = "cpu", .num_threads = 1};
  config.schedule.steps = 20'480;
  config.schedule.eval_interval = 0;
  config.schedule.final_episodes = 20;
  Trainer trainer(config, run("cartpole"));
  EXPECT_TRUE(trainer.run({}));
  // 279 with this seed, 423 to 500 with seeds 2 to 5.
  EXPECT_GT(*trainer.progress().test_return, 150);
}

TEST_F(ClassicTrainer, SavedAgentsActOnNormalizedObservations) {
  TrainConfig config = tiny_classic("classic/Pendulum");
  config.network.normalizer.enabled = true;
  EXPECT_TRUE(Trainer(config, run("normalized")).run({}));
  const SavedAgent saved = load_agent(run("normalized"), 1);
  double count = 0;
  for (const learn::NamedTensor& tensor : saved.backend->network().state()) {
    if (tensor.name == "obs_count") count = tensor.tensor.item<double>();
  }
  EXPECT_EQ(count, 6 * 40 * 6);  // six updates of 40 steps of 6 slots
  const Agent agent = trained_agent(*saved.backend, false, Streams(1).named("actions"));
  const WatchedEpisode episode =
      watch_episode(*saved.env, 3, agent, std::nullopt, [](const EpisodeState& state) {
        if (!state.output) return true;
        EXPECT_EQ(state.output->action.size(), 1U);
        EXPECT_TRUE(state.output->probabilities.empty());
        return true;
      });
  EXPECT_EQ(episode.length, 200);
}

TEST_F(ClassicTrainer, RefusesSettingsThatItsSpacesDoNotAllow) {
  const auto message = [&](const std::string& env, const std::function<void(TrainConfig&)>& set) {
    TrainConfig config = tiny_classic("classic/" + env);
    set(config);
    return message_of<std::invalid_argument>([&] { Trainer(config, run("refused")); });
  };
  const auto entropy = [](TrainConfig& c) {
    c.scorer.score_function = ScoreFunction::kPolicyEntropy;
  };
  EXPECT_EQ(message("Pendulum", entropy),
            "score_function must be value_l1, gae or one_step_td_error for the continuous actions "
            "of classic/Pendulum, not policy_entropy");
  EXPECT_EQ(message("CartPole", [](TrainConfig& c) { c.mixreg.alpha = 0.1; }),
            "mixreg must be 0 for classic/CartPole, which has no images of bytes with discrete "
            "actions");
  EXPECT_EQ(message("TwinCartPole", [](TrainConfig& c) { c.drac.enabled = true; }),
            "drac must be false for classic/TwinCartPole, which has no images of bytes with "
            "discrete actions");
  EXPECT_EQ(message("CartPole", [](TrainConfig& c) { c.network.network = NetworkChoice::kCnn; }),
            "network must be mlp or lstm for classic/CartPole, whose observations are vectors, not "
            "cnn");
  EXPECT_EQ(message("CartPole", [](TrainConfig& c) { c.network.mlp.hidden_sizes = "64,x"; }),
            "hidden_sizes must be a whole number, not x");
  EXPECT_EQ(message("Pendulum", [](TrainConfig& c) { c.compute.kernels = learn::Kernels::kNative; })
                .substr(0, 38),
            "kernels must be auto or libtorch, not ");
  EXPECT_FALSE(fs::exists(run("refused")));
}

// Images of bytes with the plain CNN and with the MLP.
TEST_F(ClassicTrainer, TrainsTheNewNetworksOnImages) {
  for (const NetworkChoice network : {NetworkChoice::kCnn, NetworkChoice::kMlp}) {
    TrainConfig config = tiny();
    config.schedule.steps = 2 * 240;
    config.network.network = network;
    config.network.cnn = {.conv_layers = "16x3/1,16x3/2", .cnn_units = 32};
    EXPECT_TRUE(Trainer(config, run(to_text(network))).run({}));
  }
}

}  // namespace
}  // namespace plr::train
