#include "siliconprof/workloads/passes/materialised_attention.h"

#include <gtest/gtest.h>

#include "siliconprof/workloads/passes/trace_copy.h"
#include "workloads/passes/tiny_models.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> d;
  for (std::size_t i = 0; i < a.size(); ++i) d.push_back(std::abs(a[i] - b[i]));
  return d;
}

TEST(MaterialisedAttention, GivesWhatAttentionGives) {
  for (const bool causal : {false, true}) {
    Builder b("t", Dtype::Float64);
    const TensorId q = b.input("q", {2, 3, 2, 4});
    const TensorId k = b.input("k", {2, 5, 2, 4});
    const TensorId v = b.input("v", {2, 5, 2, 4});
    const TensorId y = b.call("attention", {2, 2, 3, 5, 4}, {q, k, v}, {double(causal)});
    Trace trace = std::move(b).finish(y);
    const TensorId z = materialise_attention(trace, trace.calls()[0], causal);
    const TracedValues values(trace);
    for (const double d : difference(values.of(y), values.of(z))) EXPECT_LT(d, 1e-14);
  }
}

TEST(MaterialisedAttention, UnpacksQueriesKeysAndValues) {
  Builder b("t", Dtype::Float64);
  const TensorId qkv = b.input("qkv", {2, 3, 3, 2, 4});
  const TensorId y = b.call("attention_qkv", {2, 3, 2, 4}, {qkv}, {1.0});
  Trace trace = std::move(b).finish(y);
  const TensorId z = materialise_attention(trace, trace.calls()[0]);
  const TracedValues values(trace);
  for (const double d : difference(values.of(y), values.of(z))) EXPECT_LT(d, 1e-14);
  EXPECT_EQ(count_op(trace, "slice"), 3);
  EXPECT_EQ(count_op(trace, "transpose"), 4);
}

}  // namespace
}  // namespace siliconprof
