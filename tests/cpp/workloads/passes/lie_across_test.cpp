#include "siliconprof/workloads/passes/lie_across.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "siliconprof/workloads/lowerings.h"
#include "siliconprof/workloads/training_step.h"

namespace siliconprof {
namespace {

Trace step_of(std::string_view model, std::string_view framework, Precision precision,
              const Sizes& sizes) {
  TrainingConfig config;
  config.workload = std::string(model);
  config.sizes = sizes;
  config.lowering = find_lowering(framework);
  config.precision = precision;
  return training_step(config);
}

Sizes tiny_whisper() {
  return {{"batch", 1},  {"label_len", 3}, {"frames", 8}, {"mels", 4},   {"vocab", 11},
          {"layers", 2}, {"width", 6},     {"heads", 2},  {"context", 5}};
}

/// Names of the marked calls, each as often as it is marked.
std::vector<std::string> marked(const Trace& trace, std::string_view op) {
  std::vector<std::string> found;
  for (const OpCall& call : trace.calls()) {
    if (call.crosses && call.op->name == op) found.emplace_back(call.op->name);
  }
  return found;
}

TEST(LieAcross, AnEncoderBehindConvolutionsIsGoneAcross) {
  const Trace trace = step_of("whisper-tiny", "torch-cuda", Precision::AmpBf16, tiny_whisper());
  // Two layers of two norms and two sums, and the last norm; the decoder's lie as rows.
  EXPECT_EQ(marked(trace, "layer_norm").size(), 5U);
  EXPECT_EQ(marked(trace, "layer_norm_backward").size(), 5U);
  EXPECT_EQ(marked(trace, "add").size(), 4U);
  EXPECT_EQ(marked(trace, "bias").size(), 1U);  // of positions, not of channels
  EXPECT_EQ(marked(trace, "gelu_erf").size(), 0U);
}

TEST(LieAcross, ChannelsOfImagesAreSummedAlongTheirPlaces) {
  const Trace trace = step_of("vgg16", "torch-cuda", Precision::AmpFp16, {{"batch", 2}});
  std::size_t convolutions = 0;
  for (const OpCall& call : trace.calls()) convolutions += call.op->name == "conv2d" ? 1 : 0;
  EXPECT_EQ(marked(trace, "sum").size(), convolutions);
  EXPECT_EQ(marked(trace, "relu").size() + marked(trace, "relu_backward").size(), 0U);
}

TEST(LieAcross, NothingDoesWithoutConvolutionsOrElsewhere) {
  const Sizes small{{"batch", 2},  {"seq", 3},   {"vocab", 7},
                    {"layers", 2}, {"width", 6}, {"heads", 2}};
  const Trace gpt2 = step_of("gpt2-small", "torch-cuda", Precision::AmpBf16, small);
  for (const OpCall& call : gpt2.calls()) EXPECT_FALSE(call.crosses) << call.op->name;
  for (const char* framework : {"native", "mlx", "torch-cuda@compile"}) {
    const Trace trace = step_of("whisper-tiny", framework, Precision::Fp32, tiny_whisper());
    for (const OpCall& call : trace.calls()) EXPECT_FALSE(call.crosses) << framework;
  }
}

}  // namespace
}  // namespace siliconprof
