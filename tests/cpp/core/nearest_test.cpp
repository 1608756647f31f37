#include "siliconprof/core/nearest.h"

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <span>
#include <utility>

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 4> kValid{"matmul", "matvec", "copy", "scale"};

/// What was typed, and what was meant by it.
using Typed = std::pair<std::string_view, std::string_view>;

void expect_meant(std::initializer_list<Typed> cases, std::span<const std::string_view> valid) {
  for (const auto& [found, meant] : cases) {
    const auto names = nearest_names(found, valid);
    ASSERT_FALSE(names.empty()) << found;
    EXPECT_EQ(names.front(), meant);
  }
}

TEST(Nearest, PutsTheSmallestEditDistanceFirst) {
  const auto names = nearest_names("matmull", kValid);
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(names.front(), "matmul");
}

TEST(Nearest, FindsNamesThatContainTheWord) {
  const auto names = nearest_names("mul", kValid);
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(names.front(), "matmul");
}

TEST(Nearest, KnowsFormatsOfNumbersByTheirOtherNames) {
  constexpr std::array<std::string_view, 5> formats{"float64", "float32", "tf32", "float16",
                                                    "bfloat16"};
  expect_meant({{"fp16", "float16"},
                {"half", "float16"},
                {"bf16", "bfloat16"},
                {"fp32", "float32"},
                {"float", "float32"},
                {"double", "float64"}},
               formats);
  EXPECT_EQ(nearest_names("floa", formats).size(), 3U);
  constexpr std::array<std::string_view, 3> precisions{"fp32", "amp-fp16", "amp-bf16"};
  EXPECT_EQ(nearest_names("float16", precisions).front(), "amp-fp16");
  EXPECT_EQ(nearest_names("bfloat16", precisions).front(), "amp-bf16");
}

TEST(Nearest, TakesCapitalsAndSmallLettersAlike) {
  constexpr std::array<std::string_view, 2> frameworks{"mlx", "torch-cuda"};
  ASSERT_EQ(nearest_names("MLX", frameworks).size(), 1U);
  EXPECT_EQ(nearest_names("MLX", frameworks).front(), "mlx");
  EXPECT_EQ(nearest_names("Torch-CUDA", frameworks).front(), "torch-cuda");
}

TEST(Nearest, KnowsShorterNamesByWhatFollowsThemAndLongerOnesByTheirInitials) {
  constexpr std::array<std::string_view, 6> arguments{"batch", "k",    "seq",
                                                      "lora",  "seed", "learning_rate"};
  expect_meant({{"seqlen", "seq"},
                {"seq_len", "seq"},
                {"batchsize", "batch"},
                {"lr", "learning_rate"},
                {"LR", "learning_rate"}},
               arguments);
  EXPECT_TRUE(nearest_names("kernels", arguments).empty()) << "one letter begins many words";
}

TEST(Nearest, LeavesNoDoubtWhereTheLettersAreTheSame) {
  constexpr std::array<std::string_view, 4> devices{"m1-ultra", "m2-ultra", "h100", "h200"};
  for (const std::string_view found : {"M2 Ultra", "m2ultra", "M2_Ultra"}) {
    ASSERT_EQ(nearest_names(found, devices).size(), 1U) << found;
    EXPECT_EQ(nearest_names(found, devices).front(), "m2-ultra");
  }
  EXPECT_EQ(nearest_names("H200", devices).size(), 1U);
  EXPECT_TRUE(nearest_names("---", devices).empty()) << "no letters are no name";
}

TEST(Nearest, FindsNamesThatOtherWordsFollow) {
  constexpr std::array<std::string_view, 4> devices{"m2", "m2-ultra", "h100", "rtx-a6000"};
  expect_meant({{"rtx-a6000:torch-cuda", "rtx-a6000"},
                {"h100-sxm5-80gb", "h100"},
                {"m2-ultra-76-core", "m2-ultra"}},
               devices);
  EXPECT_TRUE(nearest_names("h1000-of-something", devices).empty()) << "no word of its own";
}

TEST(Nearest, IsEmptyForAStranger) { EXPECT_TRUE(nearest_names("xylophone", kValid).empty()); }

TEST(Nearest, CopesWithEmptyInput) {
  EXPECT_TRUE(nearest_names("", kValid).empty());
  EXPECT_TRUE(nearest_names("matmul", {}).empty());
}

}  // namespace
}  // namespace siliconprof
