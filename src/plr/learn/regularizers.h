// The methods that enter Ppo::update() through its hooks, each enabled by its settings.
//
//   mixreg.h  trains on mixtures of samples
//   drac.h    makes policy and value invariant to augmentation; of mixtures too
//
//   Regularizers regularizers(mixreg, drac, network.shape(), device, streams);
//   ppo.set_hooks(regularizers.hooks());
//
// The hooks refer to it, so it must not move and must outlive them.  Not copyable.  Not
// thread-safe.
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
  // Throws std::invalid_argument as the enabled methods do.
  Regularizers(const MixregConfig& mixreg, const DracConfig& drac, const NetworkShape& shape,
               at::Device device, const Streams& streams);
  Regularizers(const Regularizers&) = delete;
  Regularizers& operator=(const Regularizers&) = delete;

  // Functions that no enabled method needs are empty.
  PpoHooks hooks();

  // Empty if it is disabled.
  const std::optional<Drac>& drac() const { return drac_; }

  // The complete state.  load() throws std::runtime_error if the bytes are damaged or of other
  // settings.
  std::vector<std::byte> save() const;
  void load(std::span<const std::byte> bytes);

 private:
  std::optional<Mixreg> mixreg_;
  std::optional<Drac> drac_;
};

}  // namespace plr::learn
