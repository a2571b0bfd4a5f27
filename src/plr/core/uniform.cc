#include "plr/core/uniform.h"

#include <utility>

#include "plr/base/bytes.h"

namespace plr {

Uniform::Uniform(LevelSet levels, const Random& random, const StartConfig& start)
    : levels_(std::move(levels)), start_(start), random_(random) {}

std::vector<LevelId> Uniform::first(std::size_t num_slots) {
  return start_.first_levels == FirstLevels::kSequential ? sequential_levels(levels_, num_slots)
                                                         : Curriculum::first(num_slots);
}

void Uniform::record(const EpisodeResult& result) { check_result(result, levels_); }

std::vector<LevelWeight> Uniform::weights() const {
  std::vector<LevelWeight> weights;
  if (levels_.is_stream()) return weights;
  const auto count = static_cast<double>(levels_.size());
  weights.reserve(levels_.size());
  for (std::uint64_t i = 0; i < levels_.size(); ++i) {
    weights.push_back({.level = levels_[i], .probability = 1 / count});
  }
  return weights;
}

std::vector<std::byte> Uniform::save() const {
  ByteWriter writer;
  writer.number(levels_.fingerprint());
  writer.random(random_);
  return writer.seal("uniform", 1);
}

void Uniform::load(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "uniform", 1);
  reader.require(reader.number<std::uint64_t>() == levels_.fingerprint(),
                 "saved with another set of levels");
  const Random random = reader.random();
  reader.expect_end();
  random_ = random;
}

}  // namespace plr
