#include "siliconprof/ops/bce.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(Bce, CostsWhatItsFormulaSays) {
  const Cost cost = kBce.cost(make_call(kBce, std::vector<std::int64_t>{7}, Dtype::Float16, {}));
  EXPECT_EQ(cost, (Cost{.vector_flops = 71, .bytes_read = 28, .bytes_written = 2}));
}

TEST(Bce, VjpGivesOneGradientPerInput) {
  const Trace trace = single_op("bce", {{"n", 7}}, Dtype::Float16, {}, true);
  std::vector<std::string_view> ops;
  for (const OpCall& call : trace.calls()) ops.push_back(call.op->name);
  EXPECT_EQ(ops, (std::vector<std::string_view>{"bce_backward", "bce_target_backward"}));
  for (const OpCall& call : trace.calls()) EXPECT_EQ(call.phase, Phase::Backward);
}

}  // namespace
}  // namespace siliconprof
