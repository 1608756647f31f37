#include "siliconprof/ops/argmax.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

using Dims = std::vector<std::int64_t>;

TEST(Argmax, CostsOneComparisonLessThanTermsAndWritesInt32) {
  const OpCall call = make_call(kArgmax, Dims{2, 4, 5}, Dtype::Float16, {});
  EXPECT_EQ(kArgmax.cost(call), (Cost{.vector_flops = 30, .bytes_read = 80, .bytes_written = 40}));
}

TEST(Argmax, GivesInt32IndicesBelowTheSize) {
  const OpCall call = make_call(kArgmax, Dims{2, 4, 5}, Dtype::Float64, {});
  const Slot y = kArgmax.signature(call).outputs.at(0);
  EXPECT_EQ(y.shape, (Shape{2, 5}));
  EXPECT_EQ(y.dtype, Dtype::Int32);
  EXPECT_EQ(y.index_limit, 4);
}

TEST(Argmax, NeedsSomethingToChooseFrom) {
  EXPECT_THROW(make_call(kArgmax, Dims{2, 0, 5}, Dtype::Float32, {}), ShapeError);
  EXPECT_NO_THROW(make_call(kArgmax, Dims{0, 1, 0}, Dtype::Float32, {}));
}

}  // namespace
}  // namespace siliconprof
