#include "plr/minigrid/level.h"

#include <algorithm>
#include <stdexcept>

#include "plr/minigrid/text.h"

namespace plr::minigrid {

Mission::Mission(std::string_view text) {
  if (text.size() > text_.size()) {
    throw std::invalid_argument(
        minigrid::text("mission must have at most ", text_.size(), " bytes, not ", text.size()));
  }
  std::copy(text.begin(), text.end(), text_.begin());
  size_ = static_cast<std::uint8_t>(text.size());
}

}  // namespace plr::minigrid
