#include "plr/collect/episode_window.h"

namespace plr::collect {

void EpisodeWindow::add(double episode_return, std::int64_t length, bool is_solved) {
  ++num_episodes_;
  if (episodes_.size() == kSize) episodes_.erase(episodes_.begin());
  episodes_.push_back({episode_return, length, is_solved});
}

template <class Quantity>
double EpisodeWindow::mean(Quantity quantity) const {
  double sum = 0;
  for (const Episode& episode : episodes_) sum += quantity(episode);
  return episodes_.empty() ? 0 : sum / static_cast<double>(episodes_.size());
}

double EpisodeWindow::mean_return() const {
  return mean([](const Episode& e) { return e.episode_return; });
}
double EpisodeWindow::success_rate() const {
  return mean([](const Episode& e) { return e.is_solved ? 1.0 : 0.0; });
}
double EpisodeWindow::mean_length() const {
  return mean([](const Episode& e) { return static_cast<double>(e.length); });
}

void EpisodeWindow::save(ByteWriter& out) const {
  out.number(num_episodes_);
  out.number<std::uint64_t>(episodes_.size());
  for (const Episode& episode : episodes_) {
    out.number(episode.episode_return);
    out.number(episode.length);
    out.number(episode.is_solved);
  }
}

void EpisodeWindow::load(ByteReader& in) {
  EpisodeWindow restored;
  restored.num_episodes_ = in.number<std::uint64_t>();
  const auto size = in.number<std::uint64_t>();
  in.require(size <= kSize && size <= restored.num_episodes_, "too many recent episodes");
  for (std::uint64_t i = 0; i < size; ++i) {
    Episode& episode = restored.episodes_.emplace_back();
    episode.episode_return = in.number<double>();
    episode.length = in.number<std::int64_t>();
    episode.is_solved = in.number<std::uint8_t>() != 0;
  }
  *this = std::move(restored);
}

}  // namespace plr::collect
