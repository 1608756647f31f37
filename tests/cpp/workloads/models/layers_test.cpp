#include "siliconprof/workloads/models/layers.h"

#include <gtest/gtest.h>

namespace siliconprof {
namespace {

TEST(Layers, ALinearLayerHasAWeightByRowsAndABias) {
  Builder b("t", Dtype::Float32);
  const TensorId y = linear(b, "fc", b.input("x", {2, 3}), 2, 3, 4, normal(0.02));
  EXPECT_EQ(b.shape(y), (Shape{2, 4}));
  const Trace trace = std::move(b).finish(y);
  EXPECT_EQ(trace.parameters(), 3 * 4 + 4);
  EXPECT_EQ(trace.tensors()[1].name, "fc.weight");
  EXPECT_EQ(trace.tensors()[1].shape, (Shape{4, 3}));
  EXPECT_EQ(trace.calls()[0].op->name, "linear");
}

TEST(Layers, AProductHasNoBias) {
  Builder b("t", Dtype::Float32);
  const TensorId y = product(b, "k", b.input("x", {2, 3}), 2, 3, 4, uniform(4));
  EXPECT_EQ(std::move(b).finish(y).parameters(), 12);
  EXPECT_EQ(uniform(4).scale, 0.5);
}

TEST(Layers, NoDropoutMeansNoCallAndEachDropoutHasASeedOfItsOwn) {
  Builder b("t", Dtype::Float32);
  const TensorId x = b.input("x", {8});
  Dropout none(0.0);
  EXPECT_EQ(none(b, x), x);
  Dropout some(0.25);
  const TensorId y = some(b, some(b, x));
  const Trace trace = std::move(b).finish(y);
  ASSERT_EQ(trace.calls().size(), 2U);
  EXPECT_EQ(trace.calls()[0].attributes[0], 0.25);
  EXPECT_NE(trace.calls()[0].attributes[1], trace.calls()[1].attributes[1]);
}

TEST(Layers, NormsStartAsTheIdentity) {
  Builder b("t", Dtype::Float32);
  const TensorId x = b.input("x", {2, 3});
  const TensorId y = rms_norm(b, "rms", layer_norm(b, "ln", x, 2, 3), 2, 3, 1e-6);
  const Trace trace = std::move(b).finish(y);
  EXPECT_EQ(trace.parameters(), 9);
  EXPECT_EQ(trace.tensors()[1].initial, (Initial{Initial::Kind::Constant, 1.0}));
  EXPECT_EQ(trace.calls()[1].attributes[0], 1e-6);
}

TEST(Layers, AttentionAndALossTakeTheirShapes) {
  Builder b("t", Dtype::Float32);
  const TensorId q = b.input("q", {2, 3, 8});
  const TensorId k = b.input("k", {2, 5, 8});
  const TensorId y = attention(b, q, k, k, 2, 4, 3, 5, 8, true);
  EXPECT_EQ(b.shape(y), (Shape{2, 3, 4, 2}));
  const TensorId loss = token_loss(b, plus(b, y, activation(b, "relu", y)), {2, 3}, 8);
  EXPECT_EQ(b.elements(loss), 1);
}

}  // namespace
}  // namespace siliconprof
