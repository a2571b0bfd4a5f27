#include "plr/learn/augmentations.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "plr/learn/augment.h"
#include "plr/learn/device_random.h"

namespace plr::learn {
namespace {

constexpr std::int64_t kBatch = 64;

at::Tensor key(std::int64_t number) { return at::scalar_tensor(number, at::kLong); }

// Noise, so that every change is visible.
at::Tensor images(std::int64_t batch = kBatch, std::int64_t height = 64, std::int64_t width = 64,
                  std::int64_t channels = 3) {
  return (uniforms(key(1), {batch, height, width, channels}) * 256).to(at::kByte);
}

at::Tensor each(std::initializer_list<std::int64_t> numbers) {
  return at::tensor(at::ArrayRef<std::int64_t>(numbers));
}

TEST(Augmentations, ACropOfAConstantImageIsTheImage) {
  const at::Tensor obs = at::full({kBatch, 64, 64, 3}, 77, at::kByte);
  EXPECT_TRUE(at::equal(augment(Augmentation::kCrop, {}, obs, key(2)), obs));
}

TEST(Augmentations, ACropInTheMiddleIsTheImageAndElsewhereMovesIt) {
  const at::Tensor obs = images(2);
  EXPECT_TRUE(at::equal(crop(obs, each({12, 12}), each({12, 12})), obs));
  // Two down and three to the left of the middle: the last rows repeat the edge.
  const at::Tensor moved = crop(obs, each({14, 14}), each({9, 9}));
  EXPECT_TRUE(
      at::equal(moved.slice(1, 0, 62).slice(2, 3, 64), obs.slice(1, 2, 64).slice(2, 0, 61)));
  EXPECT_TRUE(at::equal(moved.select(1, 63).slice(1, 3, 64), obs.select(1, 63).slice(1, 0, 61)));
}

TEST(Augmentations, FourQuarterTurnsAreTheIdentity) {
  const at::Tensor obs = images(4);
  at::Tensor turned = obs;
  for (int i = 0; i < 4; ++i) turned = rotate(turned, each({0, 1, 2, 3}));
  EXPECT_TRUE(at::equal(turned, obs));
  const at::Tensor once = rotate(obs, each({1, 1, 1, 1}));
  EXPECT_TRUE(at::equal(once.select(1, 0), obs.select(2, 63)));  // the right edge becomes the top
}

TEST(Augmentations, FlippingTwiceIsTheIdentity) {
  const at::Tensor obs = images(2);
  const at::Tensor one = each({0, 1}).to(at::kBool);
  for (const bool left_for_right : {false, true}) {
    const at::Tensor flipped = flip(obs, one, left_for_right);
    EXPECT_TRUE(at::equal(flipped[0], obs[0]));
    EXPECT_FALSE(at::equal(flipped[1], obs[1]));
    EXPECT_TRUE(at::equal(flip(flipped, one, left_for_right), obs));
  }
  EXPECT_TRUE(at::equal(flip(obs, one)[1][0], obs[1][63]));  // top for bottom
}

TEST(Augmentations, ACutCoversItsBoxAndNothingElse) {
  const at::Tensor obs = at::full({1, 64, 64, 3}, 9, at::kByte);
  const at::Tensor cut = cut_out(obs, each({7}), each({21}), at::full({1, 3}, 200, at::kByte));
  // Rows 19..25, columns 45..65, of which 64 and 65 are outside.
  EXPECT_EQ(cut.eq(200).sum().item<int>(), 7 * 19 * 3);
  EXPECT_TRUE(at::all(cut.slice(1, 19, 26).slice(2, 45, 64).eq(200)).item<bool>());
}

TEST(Augmentations, GrayIsTheSameInAllChannelsAndStaysGray) {
  const at::Tensor gray = grayscale(images(2));
  EXPECT_TRUE(at::equal(gray.select(3, 0), gray.select(3, 2)));
  EXPECT_LT((grayscale(gray) - gray).abs().max().item<double>(), 1e-3);
}

TEST(Augmentations, AConvolutionByTheIdentityIsTheImage) {
  const at::Tensor obs = images(2);
  at::Tensor weights = at::zeros({2, 3, 3, 3, 3});
  for (int channel = 0; channel < 3; ++channel) {
    weights.select(1, channel).select(1, channel).select(1, 1).select(1, 1).fill_(1);
  }
  EXPECT_TRUE(at::equal(random_conv(obs, weights), obs.to(at::kFloat)));
}

TEST(Augmentations, AJitterByOneIsTheImage) {
  const at::Tensor obs = images(2);
  const at::Tensor one = at::ones({2});
  for (const bool contrast_first : {false, true}) {
    const at::Tensor same =
        color_jitter(obs, {one, one, one, at::zeros({2}), at::full({}, contrast_first, at::kBool)});
    EXPECT_LT((same - obs).abs().max().item<double>(), 1e-3);
  }
}

TEST(Augmentations, AJitterOfTheHueBy120DegreesExchangesColors) {
  // 255/360 * hue = 1/3 of a turn: red becomes green.
  const at::Tensor red = at::tensor({200.0F, 0.0F, 0.0F}).expand({1, 8, 8, 3});
  const at::Tensor one = at::ones({1});
  const at::Tensor turned =
      color_jitter(red, {one, one, one, at::full({1}, 120.0 / 255), at::full({}, true, at::kBool)});
  EXPECT_LT((turned - at::tensor({0.0F, 200.0F, 0.0F})).abs().max().item<double>(), 1e-3);
}

TEST(Augment, DrawsIndependentlyForEachImage) {
  const at::Tensor one = images(1);
  const at::Tensor obs = one.expand({kBatch, 64, 64, 3}).contiguous();
  for (std::size_t i = 0; i < kNumAugmentations; ++i) {
    const auto augmentation = static_cast<Augmentation>(i);
    if (augmentation == Augmentation::kGrayscale) continue;  // nothing random
    const at::Tensor out = augment(augmentation, {}, obs, key(3));
    ASSERT_EQ(out.sizes(), obs.sizes()) << to_text(augmentation);
    // Copies of one image: some flips or rotations equal the first, but not all.
    const at::Tensor differs = out.ne(out[0]).flatten(1).any(1);
    EXPECT_GT(differs.sum().item<int>(), kBatch / 4) << to_text(augmentation);
  }
}

TEST(Augment, RepeatsWithItsKeyAndChangesWithAnother) {
  const at::Tensor obs = images();
  for (std::size_t i = 0; i < kNumAugmentations; ++i) {
    const auto augmentation = static_cast<Augmentation>(i);
    const at::Tensor out = augment(augmentation, {}, obs, key(3));
    EXPECT_TRUE(at::equal(augment(augmentation, {}, obs, key(3)), out)) << to_text(augmentation);
    if (augmentation == Augmentation::kGrayscale) continue;
    EXPECT_FALSE(at::equal(augment(augmentation, {}, obs, key(4)), out)) << to_text(augmentation);
  }
}

TEST(Augment, DoesNotChangeItsInput) {
  const at::Tensor obs = images();
  const at::Tensor before = obs.clone();
  for (std::size_t i = 0; i < kNumAugmentations; ++i) {
    augment(static_cast<Augmentation>(i), {}, obs, key(3));
  }
  EXPECT_TRUE(at::equal(obs, before));
}

TEST(Augment, DrawsAllBoxesAndOffsetsOfTheDefinition) {
  // The lowest and the highest of each must come up: 2,000 images miss one of 25 offsets with a
  // probability of 25 * (24/25)^2000 < 1e-33.
  const at::Tensor ramp = at::arange(64, at::kByte).view({1, 64, 1, 1}).expand({2000, 64, 64, 3});
  const at::Tensor cropped = augment(Augmentation::kCrop, {}, ramp, key(5));
  const at::Tensor top = cropped.select(1, 32).select(1, 0).select(1, 0);
  EXPECT_EQ(top.min().item<int>(), 32 - 12);
  EXPECT_EQ(top.max().item<int>(), 32 + 12);
  const at::Tensor bright = at::full({2000, 64, 64, 3}, 255, at::kByte);
  const at::Tensor holes =
      augment(Augmentation::kCutout, {}, bright, key(6)).select(3, 0).eq(0).any(2).sum(1);
  EXPECT_EQ(holes.min().item<int>(), 7);
  EXPECT_EQ(holes.max().item<int>(), 21);
}

TEST(Augment, OverbrightCutoutFillsBoxesTooBrightly) {
  const at::Tensor obs = images();
  const at::Tensor right = augment(Augmentation::kCutoutColor, {}, obs, key(7));
  EXPECT_EQ(right.scalar_type(), at::kByte);
  const at::Tensor wrong =
      augment(Augmentation::kCutoutColor, {.overbright_cutout = true}, obs, key(7));
  EXPECT_GT(wrong.max().item<double>(), 255 * 200);  // the released code's 254 on a scale of 1
}

TEST(Augment, SupportsSmallGridsAndRefusesImpossibleAugmentations) {
  const auto message = [&](Augmentation augmentation, const at::Tensor& obs) {
    try {
      return std::string(augment(augmentation, {}, obs, key(8)).defined() ? "it was taken" : "");
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
  };
  for (const Augmentation augmentation : {Augmentation::kCrop, Augmentation::kFlip,
                                          Augmentation::kCutout, Augmentation::kCutoutColor}) {
    EXPECT_EQ(message(augmentation, images(3, 6, 9, 1)), "it was taken");
  }
  EXPECT_EQ(message(Augmentation::kRotate, images(3, 6, 9, 1)),
            "augmentation rotate needs square observations, not 6x9");
  for (const Augmentation augmentation :
       {Augmentation::kRandomConv, Augmentation::kGrayscale, Augmentation::kColorJitter}) {
    EXPECT_EQ(message(augmentation, images(3, 6, 6, 1)),
              "augmentation " + to_text(augmentation) +
                  " needs observations of three color channels, not 1");
  }
}

}  // namespace
}  // namespace plr::learn
