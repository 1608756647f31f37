#include "siliconprof/ops/prelu.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(Prelu, CostsWhatItsFormulaSays) {
  const Cost cost =
      kPrelu.cost(make_call(kPrelu, std::vector<std::int64_t>{7}, Dtype::Float16, {}));
  EXPECT_EQ(cost, (Cost{.vector_flops = 14, .bytes_read = 16, .bytes_written = 14}));
}

TEST(Prelu, VjpGivesOneGradientPerInput) {
  const Trace trace = single_op("prelu", {{"n", 7}}, Dtype::Float16, {}, true);
  std::vector<std::string_view> ops;
  for (const OpCall& call : trace.calls()) ops.push_back(call.op->name);
  EXPECT_EQ(ops, (std::vector<std::string_view>{"prelu_backward", "prelu_weight_backward"}));
  for (const OpCall& call : trace.calls()) EXPECT_EQ(call.phase, Phase::Backward);
}

}  // namespace
}  // namespace siliconprof
