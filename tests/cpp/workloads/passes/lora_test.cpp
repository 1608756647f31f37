#include "siliconprof/workloads/passes/lora.h"

#include <gtest/gtest.h>

#include <array>

#include "siliconprof/core/error.h"
#include "siliconprof/workloads/passes/adamw.h"
#include "workloads/passes/tiny_models.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 1> kTargets{"attn.c_attn"};

TEST(Lora, TrainsTheAdaptersAlone) {
  const Trace trace = adamw(differentiate(lora(tiny_gpt2(), {2, 4.0}, kTargets)));
  EXPECT_EQ(trace.trained_parameters(), 2 * (2 * 6 + 2 * 18)) << "two layers, A (2, 6), B (18, 2)";
  for (const auto& [parameter, gradient] : trace.gradients()) {
    EXPECT_NE(trace.tensors()[std::size_t(parameter)].name.find(".lora_"), std::string::npos);
  }
  for (const TensorInfo& info : trace.tensors()) {
    if (info.role != Role::OptimizerState) continue;
    EXPECT_NE(info.name.find(".lora_"), std::string::npos) << info.name;
  }
}

TEST(Lora, StartsAsTheModelItself) {
  EXPECT_EQ(TracedValues(lora(tiny_gpt2(), {2, 4.0}, kTargets)).loss(),
            TracedValues(tiny_gpt2()).loss());
}

TEST(Lora, LeavesFrozenWeightsAsTheyAre) {
  const Trace trace = adamw(differentiate(lora(tiny_gpt2(), {2, 4.0}, kTargets)));
  const NamedValues before = TracedValues(tiny_gpt2()).parameters();
  const NamedValues after = TracedValues(trace).parameters();
  for (const auto& [name, values] : before) EXPECT_EQ(after.at(name), values) << name;
}

TEST(Lora, ItsGradientsAgreeWithCentralDifferences) {
  expect_gradients_agree(lora(tiny_gpt2(), {2, 4.0}, kTargets), 1e-8, 8);
}

TEST(Lora, RefusesARankAboveTheMatrixAndSaysWhatFits) {
  try {
    lora(tiny_gpt2(), {7, 4.0}, kTargets);
    FAIL() << "no error";
  } catch (const ArgumentError& error) {
    EXPECT_EQ(std::string(error.what()),
              "[lora] rank is 7; needed: 1 to 6, the smaller side of 'h.0.attn.c_attn.weight' "
              "(18, 6)");
  }
  EXPECT_THROW(lora(tiny_gpt2(), {0, 4.0}, kTargets), ArgumentError);
  EXPECT_THROW(lora(tiny_gpt2(), {2, 4.0}, {}), ArgumentError) << "nothing to adapt";
}

}  // namespace
}  // namespace siliconprof
