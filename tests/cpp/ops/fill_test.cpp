#include "siliconprof/ops/fill.h"

#include <gtest/gtest.h>

#include <vector>

namespace siliconprof {
namespace {

TEST(Fill, WritesAndReadsNothing) {
  const OpCall call = make_call(kFill, std::vector<std::int64_t>{10}, Dtype::Float16, {});
  EXPECT_EQ(kFill.cost(call), (Cost{.bytes_written = 20}));
  EXPECT_EQ(call.attributes[0], 0.0);
}

}  // namespace
}  // namespace siliconprof
