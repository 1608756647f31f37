#include "siliconprof/ops/add.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(Add, CostsWhatItsFormulaSays) {
  const Cost cost = kAdd.cost(make_call(kAdd, std::vector<std::int64_t>{7}, Dtype::Float16, {}));
  EXPECT_EQ(cost, (Cost{.vector_flops = 7, .bytes_read = 28, .bytes_written = 14}));
}

TEST(Add, VjpGivesOneGradientPerInput) {
  const Trace trace = single_op("add", {{"n", 7}}, Dtype::Float16, {}, true);
  std::vector<std::string_view> ops;
  for (const OpCall& call : trace.calls()) ops.push_back(call.op->name);
  EXPECT_EQ(ops, (std::vector<std::string_view>{"copy", "copy"}));
  for (const OpCall& call : trace.calls()) EXPECT_EQ(call.phase, Phase::Backward);
}

}  // namespace
}  // namespace siliconprof
