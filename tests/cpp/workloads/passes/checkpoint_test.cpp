#include "siliconprof/workloads/passes/checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "siliconprof/workloads/passes/adamw.h"
#include "workloads/passes/tiny_models.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

TEST(Checkpoint, ChangesNoBitOfLossAndGradients) {
  for (const double dropout : {0.0, 0.25}) {
    const Trace forward =
        forward_trace(find_model("gpt2-small"), tiny_gpt2_sizes(), Dtype::Float32, dropout);
    const Trace plain = differentiate(forward);
    for (const bool keeps_masks : {false, true}) {
      const Trace trace = checkpoint(plain, keeps_masks);
      EXPECT_GT(trace.calls().size(), plain.calls().size());
      EXPECT_EQ(TracedValues(trace).loss(), TracedValues(plain).loss());
      EXPECT_EQ(TracedValues(trace).gradients(), TracedValues(plain).gradients());
    }
  }
}

TEST(Checkpoint, AMaskThatIsKeptIsComputedAgainWithAllBeforeIt) {
  const auto calls = [](const Trace& trace, std::string_view op) {
    return std::count_if(trace.calls().begin(), trace.calls().end(),
                         [&](const OpCall& call) { return call.op->name == op; });
  };
  const Sizes sizes{{"batch", 2}, {"seq", 8}, {"layers", 3}, {"vocab", 100}};
  const Trace plain =
      differentiate(forward_trace(find_model("gpt2-small"), sizes, Dtype::Float32, 0.1));
  const Trace drawn = checkpoint(plain);
  const Trace kept = checkpoint(plain, true);
  // A block ends with a product, dropout and a sum; no gradient reads what the first two make.
  EXPECT_EQ(calls(kept, "linear"), calls(drawn, "linear") + 3);
  EXPECT_EQ(calls(drawn, "dropout"), calls(plain, "dropout") + 3);
  EXPECT_EQ(calls(kept, "dropout"), calls(plain, "dropout") + 6);
  const Trace none = differentiate(forward_trace(find_model("gpt2-small"), sizes));
  EXPECT_EQ(checkpoint(none, true).calls().size(), checkpoint(none).calls().size());
}

TEST(Checkpoint, SaysWhichCallsItComputesAgainAndWhereABlockBegins) {
  const Sizes sizes{{"batch", 2}, {"seq", 8}, {"layers", 3}, {"vocab", 100}};
  const Trace plain = differentiate(forward_trace(find_model("gpt2-small"), sizes));
  const Trace trace = checkpoint(plain);
  const auto calls = [&](Again again) {
    return std::count_if(trace.calls().begin(), trace.calls().end(),
                         [&](const OpCall& call) { return call.again == again; });
  };
  EXPECT_EQ(calls(Again::First), 3);
  EXPECT_EQ(calls(Again::No), std::ptrdiff_t(plain.calls().size()));
  EXPECT_GT(calls(Again::Rest), 3 * 5);
  for (const OpCall& call : trace.calls()) {
    if (call.again != Again::No) {
      EXPECT_EQ(call.phase, Phase::Backward);
    }
  }
}

TEST(Checkpoint, KeepsOfEachBlockWhatTheNextOneReads) {
  const Sizes sizes{{"batch", 4}, {"seq", 256}, {"layers", 12}, {"vocab", 100}};
  const Trace plain = differentiate(forward_trace(find_model("gpt2-small"), sizes));
  const Trace trace = checkpoint(plain);
  const std::int64_t parameters = trace.parameters() * 4;
  EXPECT_LT(trace.memory().peak_bytes() - 2 * parameters,
            (plain.memory().peak_bytes() - 2 * parameters) / 3);
  EXPECT_LT(trace.cost().flops(), plain.cost().flops() * 4 / 3) << "less than one more forward";
}

TEST(Checkpoint, WorksOnEveryModel) {
  for (const CatalogueEntry& model : models()) {
    const Trace plain = differentiate(forward_trace(model, {}));
    EXPECT_LE(checkpoint(plain).memory().peak_bytes(), plain.memory().peak_bytes()) << model.id;
  }
}

TEST(Checkpoint, LeavesCallsOutsideOfBlocksAlone) {
  Builder b("t", Dtype::Float64);
  b.section("embedding");
  const TensorId p = b.parameter("p", {4}, {});
  const TensorId y = b.call("silu", {4}, {p});
  const Trace plain = differentiate(std::move(b).finish(b.call("sum", {1, 4, 1}, {y})));
  EXPECT_EQ(checkpoint(plain).calls().size(), plain.calls().size());
}

}  // namespace
}  // namespace siliconprof
