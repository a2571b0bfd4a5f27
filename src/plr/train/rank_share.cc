#include "plr/train/rank_share.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "plr/base/bytes.h"
#include "plr/base/usable_cpus.h"
#include "plr/learn/compute.h"

namespace plr::train {
namespace {

using distributed::World;

// Appends the values whose bytes another rank has sent.
template <class T>
void append(std::vector<T>& values, std::span<const std::byte> bytes) {
  const std::size_t begin = values.size();
  values.resize(begin + bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data() + begin, bytes.data(), bytes.size());
}

}  // namespace

RankShare::RankShare(std::shared_ptr<World> world, const TrainConfig& config)
    : world_(std::move(world)) {
  shards_.count = config.schedule.shards;
  shards_.own = shards_.count / world_->size();
  shards_.first = shards_.own * world_->rank();
  if (world_->size() > 1) {
    shards_.sum_over_ranks = [all = world_](at::Tensor& flat) { all->sum(flat); };
  }
  own_slots_ = part_of_slots({0, config.env.num_slots}, world_->rank(), world_->size());
}

int RankShare::num_workers(const EnvOptions& options) const {
  if (options.num_workers > 0 || world_->size() == 1) return options.num_workers;
  return std::max(1, usable_cpus() / world_->num_local());
}

std::int64_t RankShare::episodes_of_shard(std::int64_t num_episodes) const {
  return (num_episodes + shards_.count - 1) / shards_.count;
}

std::vector<std::string> RankShare::notes() const {
  if (world_->size() == 1) return {};
  return {fmt::format("{} ranks share {} shards; gradients are summed by {}", world_->size(),
                      shards_.count, world_->transport())};
}

at::Device RankShare::device(const learn::ComputeConfig& compute) {
  learn::ComputeConfig own = compute;
  if (own.device == "cuda" && world_->size() > 1) {
    own.device += fmt::format(":{}", world_->local_rank() % std::max(1, learn::num_gpus()));
  }
  const at::Device device = learn::configure(own);
  world_->use_device(device, /*all_reduce=*/!compute.deterministic);
  return device;
}

Evaluation RankShare::evaluate(Evaluator& evaluator, const std::vector<LevelId>& levels,
                               const Streams& streams, const std::string& stream,
                               const EvaluationWatch& watch) const {
  if (shards_.count == 1) return evaluator.play(levels, false, streams.named(stream), watch);
  Evaluation own;
  for (std::int64_t i = 0; i < shards_.own && own.is_complete; ++i) {
    const std::vector<LevelId> part = part_of(levels, shards_.first + i);
    if (part.empty()) continue;
    EvaluationWatch each = watch;
    if (watch.progressed) {
      each.progressed = [&, i](double fraction) {
        watch.progressed((static_cast<double>(i) + fraction) / static_cast<double>(shards_.own));
      };
    }
    const Random random = streams.named(fmt::format("{}/{}", stream, shards_.first + i));
    const Evaluation played = evaluator.play(part, false, random, each);
    own.is_complete = played.is_complete;
    own.episodes.insert(own.episodes.end(), played.episodes.begin(), played.episodes.end());
  }
  if (agree_to_stop(!own.is_complete, [] { return 0; }))
    return {.episodes = {}, .is_complete = false};

  static_assert(std::is_trivially_copyable_v<PlayedEpisode>);
  std::vector<PlayedEpisode> all;  // shard after shard
  for (const auto& message : world_->gather(std::as_bytes(std::span(own.episodes)))) {
    append(all, message);
  }
  Evaluation evaluation;
  evaluation.episodes.resize(levels.size());
  auto next = all.begin();
  for (std::size_t shard = 0; shard < static_cast<std::size_t>(shards_.count); ++shard) {
    for (std::size_t i = shard; i < levels.size(); i += static_cast<std::size_t>(shards_.count)) {
      evaluation.episodes[i] = *next++;
    }
  }
  return evaluation;
}

// The levels that a shard plays in an evaluation.
std::vector<LevelId> RankShare::part_of(const std::vector<LevelId>& levels,
                                        std::int64_t shard) const {
  std::vector<LevelId> part;
  for (auto i = static_cast<std::size_t>(shard); i < levels.size();
       i += static_cast<std::size_t>(shards_.count)) {
    part.push_back(levels[i]);
  }
  return part;
}

std::vector<double> RankShare::survey(std::span<const LevelId> levels, const Streams& streams,
                                      const std::string& stream, const Survey& survey) const {
  if (shards_.count == 1) return survey(levels, streams.named(stream));
  std::vector<double> own;
  bool is_complete = true;
  for (std::int64_t i = 0; i < shards_.own && is_complete; ++i) {
    const std::int64_t shard = shards_.first + i;
    const SlotRange part = part_of_slots({0, static_cast<int>(levels.size())},
                                         static_cast<int>(shard), static_cast<int>(shards_.count));
    if (part.size() == 0) continue;
    const std::vector<double> rates = survey(
        levels.subspan(static_cast<std::size_t>(part.begin), static_cast<std::size_t>(part.size())),
        streams.named(fmt::format("{}/{}", stream, shard)));
    is_complete = !rates.empty();
    own.insert(own.end(), rates.begin(), rates.end());
  }
  if (!is_complete) own.clear();
  std::vector<double> all;
  for (const auto& message : world_->gather(std::as_bytes(std::span(own)))) append(all, message);
  if (all.size() != levels.size()) all.clear();
  return all;
}

collect::SlotStates RankShare::gather(const collect::SlotStates& own) const {
  if (world_->size() == 1) return own;
  ByteWriter writer;
  own.write(writer);
  const std::size_t num_slots = own.episodes.size();
  collect::SlotStates all;
  for (const auto& message : world_->gather(writer.seal("slots", 1))) {
    ByteReader reader(message, "slots", 1);
    all.append(collect::SlotStates::read(reader, num_slots, own.observations.size() / num_slots));
  }
  return all;
}

at::Tensor RankShare::gather_rows(const at::Tensor& own) const {
  if (world_->size() == 1) return own;
  const at::Tensor host = own.to(at::kCPU).contiguous();
  std::vector<at::Tensor> parts;
  for (const auto& message :
       world_->gather({static_cast<const std::byte*>(host.const_data_ptr()), host.nbytes()})) {
    parts.push_back(at::empty_like(host));
    std::memcpy(parts.back().mutable_data_ptr(), message.data(), message.size());
  }
  return at::cat(parts);
}

bool RankShare::agree_to_stop(bool wants_stop, const std::function<std::uint64_t()>& digest) const {
  if (world_->size() == 1) return wants_stop;
  const std::array<std::uint64_t, 2> mine = {wants_stop ? 1U : 0U, digest()};
  std::optional<std::uint64_t> first;
  std::size_t rank = 0;
  for (const auto& message : world_->gather(std::as_bytes(std::span(mine)))) {
    std::array<std::uint64_t, 2> theirs = {};
    std::memcpy(theirs.data(), message.data(), sizeof theirs);
    wants_stop = wants_stop || theirs[0] != 0;
    if (!first) first = theirs[1];
    if (theirs[1] != *first) {
      throw std::runtime_error(
          fmt::format("the weights or the curriculum of rank {} differ from those of rank 0; "
                      "resume the run from "
                      "its last checkpoint, and check that the ranks have the same processors",
                      rank));
    }
    ++rank;
  }
  return wants_stop;
}

std::uint64_t digest_of(const at::Tensor& weights) {
  const at::Tensor bits = weights.detach().view(at::kInt).to(at::kLong);
  const at::Tensor odd =
      at::arange(1, 2 * bits.numel(), 2, at::TensorOptions(bits.device()).dtype(at::kLong));
  return std::bit_cast<std::uint64_t>((bits * odd).sum().item<std::int64_t>());
}

}  // namespace plr::train
