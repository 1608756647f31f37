#include "siliconprof/ops/table.h"

#include <gtest/gtest.h>

#include <set>

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

}  // namespace
}  // namespace siliconprof
