#include "siliconprof/ops/copy.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(Copy, CostsWhatItsFormulaSays) {
  const Cost cost = kCopy.cost(make_call(kCopy, std::vector<std::int64_t>{7}, Dtype::Float16, {}));
  EXPECT_EQ(cost, (Cost{.vector_flops = 0, .bytes_read = 14, .bytes_written = 14}));
}

TEST(Copy, VjpGivesOneGradientPerInput) {
  const Trace trace = single_op("copy", {{"n", 7}}, Dtype::Float16, {}, true);
  std::vector<std::string_view> ops;
  for (const OpCall& call : trace.calls()) ops.push_back(call.op->name);
  EXPECT_EQ(ops, (std::vector<std::string_view>{"copy"}));
  for (const OpCall& call : trace.calls()) EXPECT_EQ(call.phase, Phase::Backward);
}

}  // namespace
}  // namespace siliconprof
