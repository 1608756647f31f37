#include "siliconprof/devices/step_family.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "siliconprof/core/error.h"
#include "siliconprof/workloads/lowerings.h"
#include "siliconprof/workloads/single_op.h"
#include "siliconprof/workloads/training_step.h"

namespace siliconprof {
namespace {

void expect_equal(const StepSummary& found, const Trace& built) {
  EXPECT_EQ(found.peak_bytes, built.memory().peak_bytes());
  const StepSummary step = summarise(built);
  EXPECT_EQ(found.peak_bytes_shared, step.peak_bytes_shared);
  ASSERT_EQ(found.order.size(), step.order.size());
  for (std::size_t i = 0; i < step.order.size(); ++i) {
    const CallKind& said = found.kinds[std::size_t(found.order[i])];
    const CallKind& made = step.kinds[std::size_t(step.order[i])];
    ASSERT_EQ(said.call.op, made.call.op);
    ASSERT_EQ(said.call.dims, made.call.dims) << to_string(made.call);
    ASSERT_EQ(said.cost, made.cost) << to_string(made.call);
    ASSERT_EQ(said.call.dtype, made.call.dtype);
    ASSERT_EQ(said.call.phase, made.call.phase);
  }
}

void expect_family(const TrainingConfig& config, const char* length, const StepSize& least,
                   const StepSize& most, const std::vector<StepSize>& sizes) {
  const auto build = [&](const StepSize& size) {
    TrainingConfig sized = config;
    sized.sizes["batch"] = size.batch;
    if (length != nullptr) sized.sizes[length] = size.length;
    return training_step(sized);
  };
  const StepFamily family(build, least, most);
  for (const StepSize& size : sizes) expect_equal(family.at(size), build(size));
}

class EveryFramework : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryFramework, TextModelsAreKnownFromAFewOfTheirSteps) {
  for (const Precision precision : {Precision::Fp32, Precision::AmpFp16}) {
    const TrainingConfig config{.workload = "gpt2-small",
                                .sizes = {{"layers", 2}},
                                .precision = precision,
                                .lowering = find_lowering(GetParam())};
    expect_family(config, "seq", {1, 16}, {32, 512}, {{1, 16}, {7, 33}, {32, 511}});
  }
}

INSTANTIATE_TEST_SUITE_P(StepFamily, EveryFramework, testing::ValuesIn([] {
                           const auto names = lowering_names();
                           return std::vector(names.begin(), names.end());
                         }()),
                         [](const auto& info) {
                           std::string name(info.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           std::replace(name.begin(), name.end(), '@', '_');
                           return name;
                         });

TEST(StepFamily, OffloadLoraAndCheckpointsChangeNothingAboutThat) {
  const TrainingConfig config{.workload = "gpt2-small",
                              .sizes = {{"layers", 2}},
                              .lora_rank = 4,
                              .offload = OffloadMode::Overlapped,
                              .checkpoint = true};
  expect_family(config, "seq", {2, 8}, {5, 64}, {{3, 17}});
}

TEST(StepFamily, WhisperGrowsWithItsLabels) {
  const TrainingConfig config{.workload = "whisper-tiny", .sizes = {{"layers", 1}}};
  expect_family(config, "label_len", {1, 8}, {6, 64}, {{5, 9}});
}

TEST(StepFamily, ImagesGrowWithTheirBatch) {
  for (const char* workload : {"resnet18", "simclr-resnet18"}) {
    expect_family({.workload = workload, .sizes = {{"image", 32}}}, nullptr, {2, 1}, {64, 1},
                  {{3, 1}, {50, 1}});
  }
}

TEST(StepFamily, RefusesAWorkloadWhoseCallsDependOnItsSize) {
  const auto build = [](const StepSize& size) {
    return single_op(size.batch > 2 ? "copy" : "scale", {{"n", size.batch}}, Dtype::Float32, {},
                     false);
  };
  EXPECT_THROW(StepFamily(build, {1, 1}, {4, 1}), ArgumentError);
}

TEST(StepFamily, RefusesASizeThatGrowsInAnotherWay) {
  const auto build = [](const StepSize& size) {
    return single_op("copy", {{"n", size.batch * size.batch * size.batch}}, Dtype::Float32, {},
                     false);
  };
  EXPECT_THROW(StepFamily(build, {1, 1}, {9, 1}), ArgumentError);
}

}  // namespace
}  // namespace siliconprof
