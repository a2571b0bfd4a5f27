// What else does the agent learn, besides what PPO tells it?
//
// The methods that enter Ppo::update(), switched on by their settings, alone or together:
//
//   mixreg.h  learns from mixtures of samples
//   drac.h    learns that augmented observations mean the same; of mixtures too
//
//   Regularizers regularizers(mixreg, drac, network.shape(), device, streams);
//   ppo.set_hooks(regularizers.hooks());
//
// The hooks refer to it, so it stays where it is and outlives them.  Not synchronized.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "plr/base/random.h"
#include "plr/learn/drac.h"
#include "plr/learn/mixreg.h"
#include "plr/learn/ppo.h"

namespace plr::learn {

class Regularizers {
 public:
  // Throws std::invalid_argument as the methods that are switched on do.
  Regularizers(const MixregConfig& mixreg, const DracConfig& drac, const NetworkShape& shape,
               at::Device device, const Streams& streams);
  Regularizers(const Regularizers&) = delete;
  Regularizers& operator=(const Regularizers&) = delete;

  // Empty where a method has nothing to say.
  PpoHooks hooks();

  // Nothing where it is switched off.
  const std::optional<Drac>& drac() const { return drac_; }

  // Everything that decides their future.  load() throws std::runtime_error on bytes that are
  // damaged or of other settings.
  std::vector<std::byte> save() const;
  void load(std::span<const std::byte> bytes);

 private:
  std::optional<Mixreg> mixreg_;
  std::optional<Drac> drac_;
};

}  // namespace plr::learn
