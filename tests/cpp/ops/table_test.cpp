#include "siliconprof/ops/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

TEST(OpTable, FindsEveryOpByItsName) {
  ASSERT_EQ(op_names().size(), all_ops().size());
  for (const auto op : op_names()) EXPECT_EQ(find_op(op).name, op);
}

TEST(OpTable, HasUniqueNamesAndCompleteRows) {
  std::set<std::string_view> seen;
  for (const Op* op : all_ops()) {
    EXPECT_TRUE(seen.insert(op->name).second) << op->name;
    EXPECT_FALSE(op->summary.empty()) << op->name;
    EXPECT_NE(op->signature, nullptr) << op->name;
    EXPECT_NE(op->cost, nullptr) << op->name;
    EXPECT_FALSE(op->name.ends_with("_backward") && op->vjp != nullptr) << op->name;
    EXPECT_LE(op->dim_names.size(), std::size_t(kMaxDims)) << op->name;
    EXPECT_LE(op->attributes.size(), std::size_t(kMaxAttributes)) << op->name;
  }
}

TEST(OpTable, RefusesAnUnknownName) { EXPECT_THROW(find_op("matmull"), UnknownNameError); }

TEST(OpTable, NothingCostsLessThanNothingOnEmptyAxes) {
  for (const Op* op : all_ops()) {
    for (std::uint32_t empty = 0; empty < 1U << op->dim_names.size(); ++empty) {
      std::vector<std::int64_t> dims;
      for (std::size_t d = 0; d < op->dim_names.size(); ++d) {
        dims.push_back((empty >> d & 1U) != 0 ? 0 : 2);
      }
      try {
        const Cost cost = op->cost(make_call(*op, dims, Dtype::Float32, {}));
        EXPECT_GE(std::min({cost.matrix_flops, cost.vector_flops}), 0) << op->name;
        EXPECT_GE(std::min({cost.bytes_read, cost.bytes_written}), 0) << op->name;
      } catch (const Error&) {  // some axes may not be empty
      }
    }
  }
}

}  // namespace
}  // namespace siliconprof
