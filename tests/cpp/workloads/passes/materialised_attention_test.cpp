#include "siliconprof/workloads/passes/materialised_attention.h"

#include <gtest/gtest.h>

#include "siliconprof/ops/liveness.h"
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

/// The gradients of an attention that is materialised.
Trace differentiated(bool as_torch) {
  Builder b("t", Dtype::Float64);
  const TensorId q = b.parameter("q", {1, 64, 1, 4}, {Initial::Kind::Normal, 1.0});
  const TensorId k = b.parameter("k", {1, 64, 1, 4}, {Initial::Kind::Normal, 1.0});
  const TensorId v = b.parameter("v", {1, 64, 1, 4}, {Initial::Kind::Normal, 1.0});
  const TensorId y = b.call("attention", {1, 1, 64, 64, 4}, {q, k, v}, {1.0});
  Trace trace = std::move(b).finish(y);
  const TensorId z = materialise_attention(trace, trace.calls()[0], as_torch);
  const TensorId loss = append_call(trace, "sum", {1, 256, 1}, Dtype::Float64, Phase::Forward, {},
                                    {z}, "loss", Role::Activation);
  return differentiate(trace, loss);
}

// autograd keeps softmax's result for softmax and for the product that reads it, and has no call
// for the check of rows that are masked throughout.
TEST(MaterialisedAttention, AsTorchKeepsOneMatrixOfScoresAndHasNoMoreGradients) {
  const Trace plain = differentiated(false);
  const Trace torch = differentiated(true);
  constexpr std::int64_t kScores = 64 * 64;
  for (const Trace* trace : {&plain, &torch}) {
    std::int32_t forward = -1;
    for (const OpCall& call : trace->calls()) forward += call.phase == Phase::Forward ? 1 : 0;
    int kept = 0;
    const std::vector<Lifetime> lives = lifetimes(*trace);
    for (std::size_t id = 0; id < lives.size(); ++id) {
      if (trace->tensors()[id].shape.elements() != kScores) continue;
      kept += lives[id].first >= 0 && lives[id].first <= forward && lives[id].last > forward;
    }
    EXPECT_EQ(kept, 1);
  }
  EXPECT_EQ(count_op(torch, "copy"), 2);
  EXPECT_EQ(torch.calls().size(), plain.calls().size() + 4) << "and the keys, scaled, both ways";
  const TracedValues values(torch);
  const NamedValues expected = TracedValues(plain).gradients();
  for (const auto& [name, gradient] : values.gradients()) {
    for (const double d : difference(gradient, expected.at(name))) EXPECT_LT(d, 1e-12) << name;
  }
}

}  // namespace
}  // namespace siliconprof
