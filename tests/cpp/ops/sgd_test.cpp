#include "siliconprof/ops/sgd.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

Cost cost(Dtype dtype, const std::vector<double>& attributes) {
  return kSgd.cost(make_call(kSgd, std::vector<std::int64_t>{7}, dtype, attributes));
}

Signature signature(const std::vector<double>& attributes) {
  return kSgd.signature(make_call(kSgd, std::vector<std::int64_t>{7}, Dtype::Float32, attributes));
}

TEST(Sgd, CostsWhatItsSwitchesAskFor) {
  EXPECT_EQ(cost(Dtype::Float32, {}),
            (Cost{.vector_flops = 28, .bytes_read = 84, .bytes_written = 56}));
  EXPECT_EQ(cost(Dtype::Float32, {0.1, 0.9, 5e-4, 1.0}).vector_flops, 56);
}

TEST(Sgd, TheVelocityOfAHalfIsFloat32) {
  EXPECT_EQ(cost(Dtype::Float16, {}),
            (Cost{.vector_flops = 28, .bytes_read = 56, .bytes_written = 42}));
}

TEST(Sgd, ALookAheadNeedsAMomentum) {
  EXPECT_THROW(signature({0.1, 0.0, 0.0, 1.0}), ArgumentError);
  EXPECT_NO_THROW(signature({0.1, 0.0, 0.0, 0.0}));
  EXPECT_NO_THROW(signature({0.1, 0.5, 0.0, 1.0}));
}

}  // namespace
}  // namespace siliconprof
