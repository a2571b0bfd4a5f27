// Records the frames of an episode and turns them into an animation or a sheet of pictures.
//
// In the animation each frame has a strip below the picture: step, action, return, value, and the
// probability of each action.  In the sheet each picture has a caption.
//
//   EpisodeRecorder recorder({"left", "right"});
//   recorder.add(picture, state);                             // at every step
//   write_gif("episode.gif", recorder.animation("success"));
//
// Copyable; not thread-safe.
#pragma once

#include <string>
#include <vector>

#include "plr/image/image.h"
#include "plr/train/watched_episode.h"

namespace plr::viewer {

class EpisodeRecorder {
 public:
  // The names of the actions of a discrete space.
  explicit EpisodeRecorder(std::vector<std::string> action_names)
      : action_names_(std::move(action_names)) {}

  // `action` is the text of an action that is not one choice.
  // REQUIRES: all pictures have the same size.
  void add(image::Image picture, const train::EpisodeState& state, std::string action = {});

  std::size_t num_frames() const { return frames_.size(); }

  // `ending` is shown in the last frame in place of the action.
  std::vector<image::Image> animation(const std::string& ending) const;

  // At most kMaxOnSheet pictures at equal distances, the last included.
  // REQUIRES: there is at least one frame.
  image::Image sheet(const std::string& title, const std::string& ending) const;
  static constexpr std::size_t kMaxOnSheet = 24;

 private:
  struct FrameData {
    image::Image picture;
    train::EpisodeState state;
    std::string action;
  };

  std::string action_label(const FrameData& frame, const std::string& ending) const;
  std::string caption(const FrameData& frame, const std::string& ending) const;
  void draw_numbers(image::Image& image, image::Pixel corner, const FrameData& frame,
                    const std::string& ending) const;
  void draw_actions(image::Image& image, image::Pixel corner, const FrameData& frame) const;
  void draw_values(image::Image& image, image::Pixel corner, std::size_t num_shown) const;
  bool has_values() const;

  std::vector<std::string> action_names_;
  std::vector<FrameData> frames_;
};

}  // namespace plr::viewer
