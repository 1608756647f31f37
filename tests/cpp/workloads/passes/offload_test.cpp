#include "siliconprof/workloads/passes/offload.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/liveness.h"
#include "siliconprof/workloads/passes/adamw.h"
#include "siliconprof/workloads/passes/clip.h"
#include "siliconprof/workloads/passes/loss_scaling.h"
#include "workloads/passes/tiny_models.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

Trace step() { return adamw(clip(differentiate(tiny_gpt2(Dtype::Float32)), 1.0)); }

TEST(Offload, GivesTheSameParameters) {
  EXPECT_EQ(TracedValues(offload(step())).parameters(), TracedValues(step()).parameters());
}

TEST(Offload, NoModeButTheDelayedOneChangesThem) {
  for (const OffloadMode mode : {OffloadMode::Pageable, OffloadMode::Serial}) {
    EXPECT_EQ(TracedValues(offload(step(), mode)).parameters(), TracedValues(step()).parameters());
  }
  EXPECT_NE(TracedValues(offload(step(), OffloadMode::Delayed)).parameters(),
            TracedValues(step()).parameters());
}

TEST(Offload, InSeriesNothingCrossesBeforeThePassAndTheUpdateAreOver) {
  const Trace trace = offload(step(), OffloadMode::Serial);
  std::vector<Phase> order;
  for (const OpCall& call : trace.calls()) {
    if (order.empty() || order.back() != call.phase) order.push_back(call.phase);
  }
  EXPECT_EQ(order, (std::vector<Phase>{Phase::Forward, Phase::Backward, Phase::Transfer,
                                       Phase::Optimizer, Phase::Transfer}));
}

TEST(Offload, ADelayedUpdateComesFirstAndKeepsASecondSetOfGradients) {
  const Trace plain = adamw(differentiate(tiny_gpt2(Dtype::Float32)));
  const Trace trace = offload(plain, OffloadMode::Delayed);
  EXPECT_EQ(trace.calls().front().phase, Phase::Optimizer);
  EXPECT_EQ(trace.calls().back().phase, Phase::Transfer);
  const auto host_bytes = [](const Trace& t) {
    return memory_timeline(t, MemoryOf::Host).peak_bytes();
  };
  EXPECT_EQ(host_bytes(trace), host_bytes(offload(plain)) + 4 * trace.parameters());
}

TEST(Offload, AModeIsKnownByItsName) {
  EXPECT_EQ(parse_offload("delayed"), OffloadMode::Delayed);
  EXPECT_THROW(parse_offload("late"), UnknownNameError);
}

TEST(Offload, SendsEachGradientOverAndEachParameterBack) {
  const Trace trace = offload(step());
  std::int64_t transfers = 0;
  std::int64_t bytes = 0;
  for (const OpCall& call : trace.calls()) {
    if (call.phase != Phase::Transfer) continue;
    ++transfers;
    const TensorInfo& from = trace.tensors()[std::size_t(call.inputs[0])];
    const TensorInfo& to = trace.tensors()[std::size_t(call.outputs[0])];
    EXPECT_NE(from.on_host, to.on_host);
    bytes += from.bytes();
  }
  EXPECT_EQ(transfers, 2 * std::int64_t(trace.gradients().size()));
  EXPECT_EQ(bytes, 2 * 4 * trace.parameters());
}

TEST(Offload, TheOptimizerTouchesTheHostAlone) {
  const Trace trace = offload(step());
  for (const OpCall& call : trace.calls()) {
    if (call.phase != Phase::Optimizer) continue;
    for (const TensorId id : call.inputs) {
      if (id == kNoTensor) continue;
      EXPECT_TRUE(trace.tensors()[std::size_t(id)].on_host) << call.op->name;
    }
  }
}

// On the device: the parameters; gradients come and go. On the host: gradient, two moments, master.
TEST(Offload, MovesTwelveOfSixteenBytesAParameterToTheHost) {
  const Sizes sizes{{"batch", 1}, {"seq", 8}};
  const Trace plain = adamw(differentiate(forward_trace(find_model("gpt2-small"), sizes)));
  const Trace trace = offload(plain);
  const auto parameters = double(trace.parameters());
  EXPECT_LT(double(trace.memory().peak_bytes()) / parameters, 8.0);
  EXPECT_NEAR(double(memory_timeline(trace, MemoryOf::Host).peak_bytes()) / parameters, 16.0, 0.1);
}

TEST(Offload, AScaleThatTheDeviceReadsIsSentBackToo) {
  const Trace forward = with_loss_scale(tiny_mlp());
  const Trace made =
      differentiate(forward, forward.results()[0], find_tensor(forward, "loss_scale"));
  const Trace plain = update_loss_scale(adamw(unscale(made)));
  const TracedValues found(offload(plain));
  EXPECT_EQ(found.parameters(), TracedValues(plain).parameters());
  EXPECT_EQ(found.of("loss_scale"), TracedValues(plain).of("loss_scale"));
}

}  // namespace
}  // namespace siliconprof
