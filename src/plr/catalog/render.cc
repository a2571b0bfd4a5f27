#include "plr/catalog/render.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>

#include "plr/catalog/family.h"

namespace plr::catalog {
namespace {

// An observation is enlarged to about this many tiles, which is the size of a typical grid.
constexpr int kObservationTiles = 16;

const Family* family_of(const VectorEnv& env) { return find_family(env.spec().name); }

// Bytes [H, W, 1] or [H, W, 3].
bool is_picture(const EnvSpec& spec) {
  const int channels = spec.observation_shape[2];
  return spec.observation_type == ElementType::kByte && (channels == 1 || channels == 3);
}

image::Image render_observation(const EnvSpec& spec, std::span<const std::uint8_t> bytes,
                                int tile_size) {
  const auto [height, width, channels] = spec.observation_shape;
  if (!is_picture(spec) || bytes.size() != spec.observation_size()) {
    throw std::invalid_argument("observations of " + spec.name +
                                " are not pictures, and its family has no frame()");
  }
  const int scale = std::max(1, kObservationTiles * tile_size / std::max(width, height));
  image::Image picture(width * scale, height * scale);
  for (int y = 0; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x) {
      const auto* pixel =
          &bytes[static_cast<std::size_t>(((y / scale) * width + x / scale) * channels)];
      picture.set({x, y}, {pixel[0], pixel[channels / 2], pixel[channels - 1]});
    }
  }
  return picture;
}

}  // namespace

bool has_pictures(const VectorEnv& env) {
  const Family* family = family_of(env);
  return (family != nullptr && family->frame != nullptr) || is_picture(env.spec());
}

image::Image render_frame(const VectorEnv& env, int slot, std::span<const std::uint8_t> observation,
                          const FrameOptions& options) {
  const Family* family = family_of(env);
  if (family != nullptr && family->frame != nullptr) return family->frame(env, slot, options);
  return render_observation(env.spec(), observation, options.tile_size);
}

image::Image render_level(VectorEnv& env, LevelId level, const FrameOptions& options) {
  StepBuffers buffers(env.spec());
  const StepBatch batch = buffers.batch();
  const Start start = {0, level};
  env.start({&start, 1}, batch);
  return render_frame(env, 0, batch.observations.first(env.spec().observation_size()), options);
}

std::optional<image::TextPicture> render_text(const VectorEnv& env, int slot,
                                              Observation observation) {
  const Family* family = family_of(env);
  if (family == nullptr || family->text == nullptr) return std::nullopt;
  return family->text(env, slot, observation);
}

image::Legend text_legend(const VectorEnv& env) {
  const Family* family = family_of(env);
  return family != nullptr && family->legend != nullptr ? family->legend() : image::Legend{};
}

std::string carried_object(const VectorEnv& env, int slot) {
  const Family* family = family_of(env);
  return family != nullptr && family->carried != nullptr ? family->carried(env, slot) : "";
}

std::string action_name(const VectorEnv& env, Action action) {
  const Family* family = family_of(env);
  const auto i = static_cast<std::size_t>(action);
  if (family == nullptr || i >= family->action_names.size()) return std::to_string(action);
  return family->action_names[i];
}

std::string action_text(const VectorEnv& env, std::span<const Action> action) {
  std::string text;
  for (const Action word : action) {
    if (!text.empty()) text += ' ';
    if (env.spec().actions.is_continuous()) {
      std::array<char, 32> digits;
      std::snprintf(digits.data(), digits.size(), "%.3f", static_cast<double>(to_float(word)));
      text += digits.data();
    } else {
      text += action_name(env, word);
    }
  }
  return text;
}

}  // namespace plr::catalog
