#include "siliconprof/kernels/cpu/gradient_scaling.h"

#include <gtest/gtest.h>

#include <array>

#include "siliconprof/kernels/cpu/eigen_engine.h"
#include "training_agreement.h"

namespace siliconprof::cpu {
namespace {

TEST(GradientScaling, EveryOpAgreesWithTheDefinitionInPlaceToo) {
  for (const Dtype dtype : kCpuDtypes) {
    for (const std::int64_t n : {0, 1, 17, 1000, 40001, 100003}) {
      expect_training_op_agrees(kEigenEngine, "square_sum", {n}, dtype, {}, 3, {1});
      expect_training_op_agrees(kEigenEngine, "clip", {n}, dtype, {0.25}, 3, {0});
      expect_training_op_agrees(kEigenEngine, "unscale", {n}, dtype, {}, 3, {0, 2});
    }
    expect_training_op_agrees(kEigenEngine, "update_scale", {}, dtype, {}, 3, {0, 1});
  }
}

TEST(GradientScaling, OneNumberThatIsNotFiniteIsFoundAnywhere) {
  constexpr std::int64_t n = 70001;
  const double inf = std::numeric_limits<double>::infinity();
  for (const Dtype dtype : kCpuDtypes) {
    for (const std::int64_t at : {std::int64_t{0}, std::int64_t{777}, n - 1}) {
      for (const double value : {inf, -inf, std::nan("")}) {
        const Example example = training_example("unscale", {n}, dtype, {}, 3);
        set(example.inputs[0], at, value);
        const std::vector<Tensor> out = run_all(kEigenEngine, example, 2);
        EXPECT_EQ(to_values(out[1].view())[0], 1.0) << name(dtype) << " " << at << " " << value;
        EXPECT_EQ(std::isnan(to_values(out[0].view())[std::size_t(at)]), std::isnan(value));
      }
    }
  }
}

TEST(GradientScaling, WhatWasFoundBeforeStaysFound) {
  const Example example = training_example("unscale", {100}, Dtype::Float16, {}, 3);
  *example.inputs[2].view().as<float>() = 1.0F;
  EXPECT_EQ(to_values(run_all(kEigenEngine, example, 2)[1].view())[0], 1.0);
}

TEST(GradientScaling, ANormThatIsNanSpoilsTheGradientAndAShortOneKeepsItsBits) {
  const Example example = training_example("clip", {1000}, Dtype::Float32, {100.0}, 3);
  const Tensor kept = run(kEigenEngine, example, 2);
  EXPECT_EQ(std::memcmp(kept.view().data, example.inputs[0].view().data, 4000), 0);
  *example.inputs[1].view().as<float>() = std::nanf("");
  for (const double value : to_values(run(kEigenEngine, example, 2).view())) {
    EXPECT_TRUE(std::isnan(value));
  }
}

}  // namespace
}  // namespace siliconprof::cpu
