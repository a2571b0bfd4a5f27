// How is an episode shown to somebody who was not there?
//
// As an animation, each picture above a strip that tells step, action, return, value and how likely
// each action was; or as a sheet of pictures with captions.
//
//   Film film({"left", "right"});
//   film.add(picture, state);                             // at every state
//   write_gif("episode.gif", film.animation("success"));
#pragma once

#include <string>
#include <vector>

#include "plr/image/image.h"
#include "plr/train/watched_episode.h"

namespace plr::app {

class Film {
 public:
  explicit Film(std::vector<std::string> action_names) : action_names_(std::move(action_names)) {}

  // All pictures have the same size.
  void add(image::Image picture, const train::EpisodeState& state);

  std::size_t num_frames() const { return scenes_.size(); }

  // `ending` is said in the last frame.
  std::vector<image::Image> animation(const std::string& ending) const;

  // At most kMaxOnSheet pictures, at equal distances, and always the last.
  image::Image sheet(const std::string& title, const std::string& ending) const;
  static constexpr std::size_t kMaxOnSheet = 24;

 private:
  struct Scene {
    image::Image picture;
    train::EpisodeState state;
  };

  std::string deed(const Scene& scene, const std::string& ending) const;
  std::string caption(const Scene& scene, const std::string& ending) const;
  void draw_numbers(image::Image& frame, image::Pixel corner, const Scene& scene,
                    const std::string& ending) const;
  void draw_actions(image::Image& frame, image::Pixel corner, const Scene& scene) const;
  void draw_values(image::Image& frame, image::Pixel corner, std::size_t num_shown) const;
  bool has_values() const;

  std::vector<std::string> action_names_;
  std::vector<Scene> scenes_;
};

}  // namespace plr::app
