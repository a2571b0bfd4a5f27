#include "plr/minigrid/level.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace plr::minigrid {

Mission::Mission(std::string_view text) {
  if (text.size() > text_.size()) {
    throw std::invalid_argument("mission: at most " + std::to_string(text_.size()) +
                                " bytes, not " + std::to_string(text.size()));
  }
  std::copy(text.begin(), text.end(), text_.begin());
  size_ = static_cast<std::uint8_t>(text.size());
}

}  // namespace plr::minigrid
