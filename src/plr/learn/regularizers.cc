#include "plr/learn/regularizers.h"

#include <cstdint>

#include "plr/base/bytes.h"

namespace plr::learn {
namespace {

constexpr std::string_view kStateName = "regularizers";
constexpr std::uint32_t kStateVersion = 1;

}  // namespace

Regularizers::Regularizers(const MixregConfig& mixreg, const DracConfig& drac,
                           const NetworkShape& shape, at::Device device, const Streams& streams) {
  if (mixreg.alpha > 0) mixreg_.emplace(mixreg, device, streams.named("mixreg"));
  if (drac.enabled) drac_.emplace(drac, shape, device, streams.named("augment"));
}

PpoHooks Regularizers::hooks() {
  PpoHooks hooks;
  if (!mixreg_ && !drac_) return hooks;
  hooks.begin = [this](const Rollout& rollout, std::int64_t num_minibatches, std::int64_t size) {
    if (mixreg_) mixreg_->begin(num_minibatches, size);
    if (drac_) drac_->begin(rollout, num_minibatches);
  };
  hooks.prepare = [this](std::int64_t minibatch) {
    if (mixreg_) mixreg_->prepare(minibatch);
    if (drac_) drac_->prepare(minibatch);
  };
  if (mixreg_) {
    hooks.transform = [this](Minibatch& minibatch) { mixreg_->transform(minibatch); };
  }
  if (drac_) {
    // Each augmentation enqueues other work.
    hooks.kind = [this] { return static_cast<std::int64_t>(drac_->augmentation()); };
    hooks.more_obs = [this](const Minibatch& minibatch) { return drac_->augmented(minibatch); };
    hooks.extra_loss = [this](const Minibatch&, const Output& output, const Output& augmented) {
      return drac_->loss(output, augmented);
    };
  }
  return hooks;
}

std::vector<std::byte> Regularizers::save() const {
  ByteWriter writer;
  writer.number<std::uint8_t>(mixreg_.has_value());
  if (mixreg_) writer.random(mixreg_->stream());
  writer.number<std::uint8_t>(drac_.has_value());
  if (drac_) writer.numbers<std::byte>(drac_->save());
  return writer.seal(kStateName, kStateVersion);
}

void Regularizers::load(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, kStateName, kStateVersion);
  reader.require((reader.number<std::uint8_t>() != 0) == mixreg_.has_value(),
                 "made with or without mixreg");
  std::optional<Random> mixing;
  if (mixreg_) mixing = reader.random();
  reader.require((reader.number<std::uint8_t>() != 0) == drac_.has_value(),
                 "made with or without drac");
  std::vector<std::byte> drac;
  if (drac_) drac = reader.numbers<std::byte>(kMaxNestedState);
  reader.expect_end();
  if (drac_) drac_->load(drac);
  if (mixreg_) mixreg_->stream() = *mixing;
}

}  // namespace plr::learn
