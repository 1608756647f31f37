#include "siliconprof/ops/cast.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/table.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(Cast, ReadsOneFormatAndWritesTheOther) {
  const OpCall call = make_call(kCastFloat16, std::vector<std::int64_t>{10}, Dtype::Float64, {});
  EXPECT_EQ(kCastFloat16.cost(call), (Cost{.bytes_read = 80, .bytes_written = 20}));
  EXPECT_EQ(kCastFloat16.signature(call).outputs.at(0).dtype, Dtype::Float16);
}

TEST(Cast, IsKnownAmongOperations) {
  int casts = 0;
  for (const Op* op : all_ops()) casts += int(is_cast(*op));
  EXPECT_EQ(casts, 4);
  EXPECT_TRUE(is_cast(kCastBfloat16));
  EXPECT_FALSE(is_cast(find_op("copy")));
}

TEST(Cast, ItsGradientIsCastBack) {
  for (const Dtype from : {Dtype::Float64, Dtype::Float32, Dtype::Float16, Dtype::BFloat16}) {
    const Trace trace = single_op("cast_bfloat16", {{"n", 3}}, from, {}, true);
    ASSERT_EQ(trace.calls().size(), 1U);
    EXPECT_EQ(trace.calls()[0].op->name, "cast_" + std::string(name(from)));
    EXPECT_EQ(trace.calls()[0].dtype, Dtype::BFloat16);
    ASSERT_EQ(trace.results().size(), 1U);
    EXPECT_EQ(trace.tensors()[std::size_t(trace.results()[0])].dtype, from);
  }
}

TEST(Cast, ThereIsNoWayBackToAModeOfMatrixUnits) {
  EXPECT_THROW(single_op("cast_float32", {{"n", 3}}, Dtype::Tf32, {}, true), DtypeError);
}

}  // namespace
}  // namespace siliconprof
