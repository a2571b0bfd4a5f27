// The recurrent network against recorded outputs and PPO updates of JaxUED.
#include "plr/learn/lstm_network.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plr/learn/backend.h"
#include "plr/learn/golden_network_testing.h"
#include "plr/learn/policy.h"
#include "plr/learn/ppo.h"

namespace plr::learn {
namespace {

using testing::as_tensor;
using testing::distance;
using testing::golden_records;
using testing::GoldenTensor;
using testing::GoldenTensors;

const NetworkShape kMaze{.height = 5, .width = 5, .channels = 4, .actions = 7, .num_directions = 4};

Network maze_network(at::Device device = at::kCPU) {
  return make_lstm_network(kMaze, {}, Streams(1).named("init"), Precision::kFp32, device);
}

// ---- Weights -----------------------------------------------------------------------------------

// A recorded parameter: matrices are [in][out], the convolution is [di][dj][channel][out], and
// every gate is a tensor of its own.
struct RecordedParameter {
  std::string name;
  std::vector<std::int64_t> shape;
  double scale;
};

const std::vector<RecordedParameter>& recorded_parameters() {
  static const std::vector<RecordedParameter> list = {
      {"conv.w", {3, 3, 3, 16}, .35}, {"conv.b", {16}, .1},
      {"dir.w", {4, 5}, .5},          {"dir.b", {5}, .1},
      {"lstm.xi", {149, 256}, .14},   {"lstm.xf", {149, 256}, .14},
      {"lstm.xg", {149, 256}, .14},   {"lstm.xo", {149, 256}, .14},
      {"lstm.hi", {256, 256}, .11},   {"lstm.hf", {256, 256}, .11},
      {"lstm.hg", {256, 256}, .11},   {"lstm.ho", {256, 256}, .11},
      {"lstm.bi", {256}, .1},         {"lstm.bf", {256}, .1},
      {"lstm.bg", {256}, .1},         {"lstm.bo", {256}, .1},
      {"actor0.w", {256, 32}, .2},    {"actor0.b", {32}, .1},
      {"actor1.w", {32, 7}, .3},      {"actor1.b", {7}, .1},
      {"critic0.w", {256, 32}, .2},   {"critic0.b", {32}, .1},
      {"critic1.w", {32, 1}, .3},     {"critic1.b", {1}, .1}};
  return list;
}

// The recorded weights are not stored but computed by this hash of parameter and element.
double recorded_weight(std::uint32_t parameter, std::uint32_t element, std::uint32_t seed,
                       double scale) {
  std::uint32_t x = element + 0x9E3779B9U * (parameter + 1) + 0x85EBCA6BU * seed;
  x ^= x >> 16;
  x *= 0x7FEB352DU;
  x ^= x >> 15;
  x *= 0x846CA68BU;
  x ^= x >> 16;
  return (2 * (x / 4294967296.0) - 1) * scale;
}

// The part of our tensors, by name, that a recorded parameter corresponds to, in its shape.
at::Tensor as_recorded(const std::vector<NamedTensor>& tensors, const std::string& name) {
  const auto tensor = [&](const std::string& ours) {
    return std::ranges::find(tensors, ours, &NamedTensor::name)->tensor;
  };
  if (name == "conv.w") return tensor("conv.w").permute({2, 3, 1, 0});
  if (name == "conv.b") return tensor("conv.b");
  if (name.starts_with("lstm.")) {
    const auto gate = static_cast<std::int64_t>(std::string("ifgo").find(name[6]));
    if (name[5] == 'b') return tensor("lstm_input.b").chunk(4)[gate];
    return tensor(name[5] == 'x' ? "lstm_input.w" : "lstm_hidden.w").chunk(4)[gate].t();
  }
  const std::vector<std::pair<std::string, std::string>> layers = {{"dir", "direction"},
                                                                   {"actor0", "policy_hidden"},
                                                                   {"actor1", "policy"},
                                                                   {"critic0", "value_hidden"},
                                                                   {"critic1", "value"}};
  const std::string layer = name.substr(0, name.size() - 2);
  const std::string ours =
      std::ranges::find(layers, layer, [](const auto& p) { return p.first; })->second +
      name.substr(name.size() - 2);
  return name.ends_with(".w") ? tensor(ours).t() : tensor(ours);
}

std::vector<NamedTensor> values_of(const Network& network) {
  return network.parameters().views(network.parameters().values());
}

// Gives the network the weights of a record and checks the elements that the record lists.
void set_recorded_weights(const GoldenTensors& record, const Network& network) {
  const at::NoGradGuard no_grad;
  const std::uint32_t seed = record.settings().at("weights_seed");
  std::uint32_t number = 0;
  for (const RecordedParameter& parameter : recorded_parameters()) {
    const at::Tensor to = as_recorded(values_of(network), parameter.name);
    ASSERT_EQ(to.sizes(), at::IntArrayRef(parameter.shape)) << parameter.name;
    at::Tensor weights = at::empty(parameter.shape);
    auto* data = weights.mutable_data_ptr<float>();
    for (std::int64_t k = 0; k < weights.numel(); ++k) {
      data[k] = static_cast<float>(
          recorded_weight(number, static_cast<std::uint32_t>(k), seed, parameter.scale));
    }
    if (record.settings().contains("first_weights")) {
      const auto& first = record.settings().at("first_weights").at(parameter.name);
      for (std::size_t k = 0; k < first.size(); ++k) {
        EXPECT_NEAR(data[k], first[k].get<double>(), 1e-8) << parameter.name;
      }
    }
    to.copy_(weights);
    ++number;
  }
}

// Bytes [T, N, 5, 5, 4]: the image, and the direction in all cells.
at::Tensor recorded_obs(const GoldenTensors& record) {
  const at::Tensor images = as_tensor(record.bytes("images"), at::kByte);
  const at::Tensor directions = as_tensor(record.bytes("directions"), at::kByte);
  const at::Tensor planes =
      directions.view({images.size(0), images.size(1), 1, 1, 1}).expand({-1, -1, 5, 5, 1});
  return at::cat({images, planes}, 4).contiguous();
}

at::Tensor recorded_state(const GoldenTensors& record) {
  return at::cat(
      {as_tensor(record.floats("c0"), at::kFloat), as_tensor(record.floats("h0"), at::kFloat)}, 1);
}

// ---- Forward pass ------------------------------------------------------------------------------

TEST(LstmNetwork, HasThePublishedNumberOfParameters) {
  EXPECT_EQ(maze_network().parameters().count(), 432'929);
}

TEST(LstmNetwork, InitialWeightsAreDistributedAsInJaxUed) {
  const Network network = maze_network();
  const Parameters& p = network.parameters();
  const auto deviation = [&](const char* name) { return p[name].std().item<double>(); };
  EXPECT_NEAR(deviation("conv.w"), 1 / std::sqrt(27.0), 0.02);
  EXPECT_NEAR(deviation("lstm_input.w"), 1 / std::sqrt(149.0), 0.001);
  const double limit = 2 / 0.87962566 / std::sqrt(149.0);
  EXPECT_LE(p["lstm_input.w"].abs().max().item<double>(), limit);
  EXPECT_GT(p["lstm_input.w"].abs().max().item<double>(), 0.95 * limit);
  for (const at::Tensor& gate : p["lstm_hidden.w"].chunk(4)) {
    EXPECT_LT((at::mm(gate, gate.t()) - at::eye(256)).abs().max().item<double>(), 1e-5);
  }
  EXPECT_NEAR(p["policy_hidden.w"].norm().item<double>(), 2 * std::sqrt(32.0), 1e-4);
  EXPECT_NEAR(p["policy.w"].norm().item<double>(), 0.01 * std::sqrt(7.0), 1e-6);
  EXPECT_EQ(p["lstm_input.b"].abs().max().item<double>(), 0);
}

TEST(LstmNetworkGolden, ForwardPassEqualsTheRecordedOne) {
  const GoldenTensors record("maze/student_forward");
  for (const std::string& device_name : testing::devices()) {
    SCOPED_TRACE(device_name);
    const at::Device device = testing::exactly(device_name);
    const Network network = maze_network(device);
    set_recorded_weights(record, network);
    const c10::InferenceMode inference;
    const at::Tensor resets = as_tensor(record.bytes("resets"), at::kByte).to(device, at::kFloat);
    const Output out =
        network.forward(recorded_obs(record).flatten(0, 1),
                        {.state = recorded_state(record).to(device), .resets = resets});
    const at::Tensor log_probs = at::log_softmax(out.logits, 1);
    EXPECT_LT(distance(log_probs, record.floats("log_probs")), 1e-5);
    EXPECT_LT(distance(out.value, record.floats("values")), 1e-5);
    EXPECT_LT(distance(out.state.narrow(1, 0, 256), record.floats("c")), 1e-5);
    EXPECT_LT(distance(out.state.narrow(1, 256, 256), record.floats("h")), 1e-5);
  }
}

// ---- Inference ---------------------------------------------------------------------------------

TEST(LstmNetwork, InferenceStepByStepEqualsTheForwardPassOfTheSequence) {
  const GoldenTensors record("maze/student_forward");
  for (const std::string& device_name : testing::devices()) {
    SCOPED_TRACE(device_name);
    const std::unique_ptr<Backend> backend =
        make_backend(maze_network(testing::exactly(device_name)));
    const Network& network = backend->network();
    const at::Tensor obs = recorded_obs(record);  // [T, N, 5, 5, 4]
    at::Tensor resets = as_tensor(record.bytes("resets"), at::kByte).to(at::kFloat);
    resets[0].fill_(1);  // a policy begins with new episodes
    const auto num_slots = static_cast<std::size_t>(obs.size(1));
    const at::Tensor state =
        at::zeros({obs.size(1), network.state_size()}, at::TensorOptions(network.device()));
    at::Tensor values;
    {
      const c10::InferenceMode inference;
      values = network.forward(obs.flatten(0, 1), {state, resets.to(network.device())})
                   .value.view({-1, obs.size(1)})
                   .cpu();
    }
    Policy policy(*backend, {}, num_slots);
    const std::vector<double> uniforms(num_slots, 0.5);
    std::vector<std::int32_t> actions(num_slots);
    std::vector<float> log_probs(num_slots);
    std::vector<float> out(num_slots);
    for (std::int64_t t = 0; t < obs.size(0); ++t) {
      for (std::size_t slot = 0; slot < num_slots; ++slot) {
        if (resets[t][static_cast<std::int64_t>(slot)].item<float>() == 1) {
          policy.begin_episode(slot);
        }
      }
      const at::Tensor row = obs[t].contiguous();
      std::copy_n(row.const_data_ptr<std::uint8_t>(), row.numel(), policy.observations().begin());
      policy.act(uniforms, {actions, log_probs, out, {}});
      for (std::size_t slot = 0; slot < num_slots; ++slot) {
        EXPECT_NEAR(out[slot], values[t][static_cast<std::int64_t>(slot)].item<float>(), 1e-5);
      }
    }
  }
}

// ---- Updates -----------------------------------------------------------------------------------

void fill(const GoldenTensors& record, Rollout& rollout) {
  const at::Tensor obs = recorded_obs(record);
  for (std::size_t t = 0; t < rollout.num_steps(); ++t) {
    const at::Tensor row = obs[static_cast<std::int64_t>(t)];
    rollout.set_obs(t, {row.const_data_ptr<std::uint8_t>(), static_cast<std::size_t>(row.numel())});
  }
  std::ranges::copy(record.ints("actions").elements, rollout.actions.all().begin());
  std::ranges::copy(record.floats("log_probs").elements, rollout.log_probs.all().begin());
  std::ranges::copy(record.floats("rewards").elements, rollout.rewards.all().begin());
  std::ranges::copy(record.bytes("dones").elements, rollout.done.all().begin());
  std::ranges::copy(record.floats("values").elements, rollout.values.all().begin());
  std::ranges::copy(record.floats("last_value").elements, rollout.values.last_row().begin());
  std::ranges::fill(rollout.begins[0], 0);
  for (std::size_t t = 1; t < rollout.num_steps(); ++t) {
    std::ranges::copy(rollout.done[t - 1], rollout.begins[t].begin());
  }
  rollout.first_state().copy_(recorded_state(record));
}

PpoConfig config_of(const nlohmann::json& s) {
  return {.epochs = s.at("epochs"),
          .num_minibatches = s.at("minibatches"),
          .clip = s.at("clip"),
          .value_coef = s.at("value_coef"),
          .entropy_coef = s.at("entropy_coef"),
          .minibatch_advantages = true,
          .adam = {.learning_rate = s.at("lr"),
                   .epsilon = s.at("adam_eps"),
                   .max_grad_norm = s.at("max_grad_norm"),
                   .grad_norm_epsilon = 0}};
}

double distance_of(std::span<const float> numbers, const GoldenTensor<float>& golden) {
  return distance(at::tensor(at::ArrayRef(numbers.data(), numbers.size())), golden);
}

// On CUDA sums are taken in another order, and Adam divides small gradients by their size.
void expect_recorded_update(const std::string& name, const std::string& device_name) {
  SCOPED_TRACE(name + " on " + device_name);
  const GoldenTensors record(name);
  const nlohmann::json& settings = record.settings();
  const std::unique_ptr<Backend> backend =
      make_backend(maze_network(testing::exactly(device_name)));
  const Network& network = backend->network();
  const double tolerance = network.device().is_cuda() ? 1e-4 : 1e-5;
  set_recorded_weights(record, network);
  Rollout rollout({settings.at("T"), settings.at("N")}, network.shape(), network.device(),
                  network.state_size());
  fill(record, rollout);
  compute_advantages(rollout, settings.at("gamma"), settings.at("lam"));
  EXPECT_LT(distance_of(rollout.advantages.all(), record.floats("advantages")), 1e-5);
  EXPECT_LT(distance_of(rollout.returns.all(), record.floats("targets")), 1e-5);

  Ppo ppo(*backend, config_of(settings), Streams(1).named("minibatches"));
  const GoldenTensor<std::int32_t> permutations = record.ints("perms");
  auto next = permutations.elements.begin();
  at::Tensor first_grads;  // after clipping
  ppo.set_hooks({.prepare =
                     [&](std::int64_t minibatch) {
                       if (minibatch == 1) first_grads = network.parameters().grads().clone();
                     },
                 .permute =
                     [&](std::span<std::int64_t> permutation) {
                       std::copy_n(next, permutation.size(), permutation.begin());
                       next += static_cast<std::ptrdiff_t>(permutation.size());
                     }});
  const PpoStats stats = ppo.update(rollout);

  const GoldenTensor<float> rows = record.floats("per_step");
  ASSERT_EQ(stats.minibatches.size() * 5, rows.elements.size());
  for (std::size_t i = 0; i < stats.minibatches.size(); ++i) {
    SCOPED_TRACE("mini-batch " + std::to_string(i));
    const float* row = rows.elements.data() + 5 * i;
    const PpoLosses& losses = stats.minibatches[i];
    EXPECT_NEAR(losses.total, row[0], tolerance);
    EXPECT_NEAR(losses.value_loss, row[1], tolerance);
    EXPECT_NEAR(losses.policy_loss, row[2], tolerance);
    EXPECT_NEAR(losses.entropy, row[3], tolerance);
    // libtorch sums the squares of 432,929 gradients in float.
    EXPECT_NEAR(losses.grad_norm, row[4], 5e-5 * row[4]);
  }

  const double max_norm = settings.at("max_grad_norm");
  const double divisor = std::max(1.0, stats.minibatches[0].grad_norm / max_norm);
  const std::vector<NamedTensor> grads = network.parameters().views(first_grads);
  const std::vector<NamedTensor> state = ppo.state();
  std::vector<NamedTensor> moments[2];
  for (const NamedTensor& tensor : state) {
    if (tensor.name.starts_with("adam.m/"))
      moments[0].push_back({tensor.name.substr(7), tensor.tensor});
    if (tensor.name.starts_with("adam.v/"))
      moments[1].push_back({tensor.name.substr(7), tensor.tensor});
  }
  for (const RecordedParameter& parameter : recorded_parameters()) {
    SCOPED_TRACE(parameter.name);
    const auto recorded = [&](const char* kind) { return record.floats(kind + parameter.name); };
    const at::Tensor weight = as_recorded(state, parameter.name);
    EXPECT_LT(distance(as_recorded(grads, parameter.name) * divisor, recorded("grad_first/")),
              1e-5);
    EXPECT_LT(distance(weight, recorded("after_w/")), tolerance);
    EXPECT_LT(distance(as_recorded(moments[0], parameter.name), recorded("after_m/")), 1e-5);
    EXPECT_LT(distance(as_recorded(moments[1], parameter.name), recorded("after_v/")), 1e-5);
    const double sum = settings.at("w_abs_sum").at(parameter.name);
    EXPECT_NEAR(weight.abs().sum(at::kDouble).item<double>(), sum, tolerance * (1 + sum));
  }
}

TEST(LstmNetworkGolden, UpdatesEqualRecordedOnes) {
  int num_updates = 0;
  for (const std::string& device : testing::devices()) {
    for (const std::string& name : golden_records("maze")) {
      if (!name.starts_with("maze/student_update")) continue;
      expect_recorded_update(name, device);
      ++num_updates;
    }
  }
  EXPECT_GE(num_updates, 2);
}

}  // namespace
}  // namespace plr::learn
