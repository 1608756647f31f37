#include "siliconprof/workloads/passes/recompute.h"

#include <gtest/gtest.h>

#include "siliconprof/workloads/passes/autocast.h"
#include "siliconprof/workloads/passes/keep_outputs.h"
#include "workloads/passes/tiny_models.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

Trace tiny_simclr() {
  const Sizes sizes{{"batch", 2}, {"image", 8}, {"channels", 2}, {"projection", 3}};
  return forward_trace(find_model("simclr-resnet18"), sizes, Dtype::Float64);
}

TEST(Recompute, GivesTheSameGradientsInLessMemory) {
  const Trace trace = keep_outputs(differentiate(tiny_simclr()));
  const Trace made = recompute(trace);
  EXPECT_LT(made.memory().peak_bytes(), trace.memory().peak_bytes());
  const TracedValues before(trace);
  const TracedValues after(made);
  EXPECT_EQ(before.loss(), after.loss());
  EXPECT_EQ(before.gradients(), after.gradients());
}

// The stem, the first half of eight blocks, the hidden layer of the projection.
TEST(Recompute, MakesEachActivationOnceMore) {
  const Trace trace = keep_outputs(differentiate(tiny_simclr()));
  const Trace made = recompute(trace);
  EXPECT_EQ(count_op(made, "relu"), count_op(trace, "relu") + 10);
  EXPECT_EQ(count_op(made, "batch_norm"), count_op(trace, "batch_norm") + 10);
  EXPECT_EQ(made.calls().size(), trace.calls().size() + 20);
}

TEST(Recompute, MakesGeluAgainInsteadOfKeepingIt) {
  const Sizes sizes{{"batch", 2}, {"seq", 8},   {"layers", 2}, {"width", 8},
                    {"heads", 2}, {"vocab", 7}, {"context", 8}};
  const Trace trace = differentiate(forward_trace(find_model("gpt2-small"), sizes, Dtype::Float64));
  const Trace made = recompute(trace);
  EXPECT_EQ(count_op(made, "gelu_tanh"), count_op(trace, "gelu_tanh") + 2);
  EXPECT_LT(made.memory().peak_bytes(), trace.memory().peak_bytes());
  EXPECT_EQ(TracedValues(trace).gradients(), TracedValues(made).gradients());
}

/// As a compiler does for a loss: logits of 16 bits are kept, not what widens them.
TEST(Recompute, OfCastsWidensAgainWhatIsKept) {
  const Trace trace =
      differentiate(autocast(tiny_mlp(Dtype::Float32), Dtype::BFloat16, {.widens_logits = true}));
  const Trace made = recompute(trace, Recomputed::Casts);
  EXPECT_EQ(count_op(made, "cast_float32"), count_op(trace, "cast_float32") + 1);
  EXPECT_EQ(count_op(made, "relu"), count_op(trace, "relu"));
  EXPECT_EQ(TracedValues(trace).gradients(), TracedValues(made).gradients());
}

TEST(Recompute, LeavesATraceWithoutSuchActivationsAsItIs) {
  const Trace trace = differentiate(tiny_mlp());
  EXPECT_EQ(recompute(trace), trace);
}

}  // namespace
}  // namespace siliconprof
