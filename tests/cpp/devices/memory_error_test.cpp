#include "siliconprof/devices/memory_error.h"

#include <gtest/gtest.h>

#include "devices/made_device.h"
#include "siliconprof/devices/model_backend.h"
#include "siliconprof/workloads/single_op.h"
#include "siliconprof/workloads/training_step.h"

namespace siliconprof {
namespace {

Trace step_of(const char* workload, Sizes sizes) {
  sizes["batch"] = 1;
  return training_step({.workload = workload, .sizes = std::move(sizes)});
}

TEST(MemoryError, IsAPartOfThePeakAndNoLessThanAWorkspaceWhereTheStepConvolves) {
  const MemoryError error{.part = 0.25, .workspace_bytes = 100.0};
  EXPECT_EQ(error.around(1000.0, false), (Interval{800.0, 1250.0}));
  EXPECT_EQ(error.around(1000.0, true), (Interval{800.0, 1250.0}));
  EXPECT_EQ(error.around(160.0, false), (Interval{128.0, 200.0}));
  EXPECT_EQ(error.around(160.0, true), (Interval{60.0, 260.0}));
  EXPECT_EQ(error.around(450.0, true), (Interval{350.0, 562.5}));
}

TEST(MemoryError, NoMemoryIsLessThanNone) {
  const MemoryError error{.part = 0.25, .workspace_bytes = 100.0};
  EXPECT_EQ(error.around(40.0, true), (Interval{0.0, 140.0}));
}

TEST(MemoryError, IsOfAFrameworkThatSaysAPart) {
  Framework framework = made_framework();
  EXPECT_EQ(memory_error(made_device(), framework), std::nullopt);
  framework.numbers["interval.workspace_bytes"] = made_number(1e6);
  EXPECT_EQ(memory_error(made_device(), framework), std::nullopt);
  framework.numbers["interval.memory_part"] = made_number(0.5);
  EXPECT_EQ(memory_error(made_device(), framework), (MemoryError{0.5, 1e6}));
  framework.numbers.erase("interval.workspace_bytes");
  EXPECT_EQ(memory_error(made_device(), framework), (MemoryError{0.5, 0.0}));
}

TEST(MemoryError, WorkspacesAreInThePeaksOfStepsThatConvolveAlone) {
  Framework framework = made_framework();
  framework.numbers["interval.memory_part"] = made_number(1e-3);
  framework.numbers["interval.workspace_bytes"] = made_number(1e6);
  const Model model(made_device(), framework);
  const auto above = [&](const Trace& trace) {
    const Profile found = model.predict(trace);
    return found.peak_memory_interval_bytes->hi - double(found.peak_memory_bytes.value());
  };
  const Trace image = step_of("simclr-resnet18", {{"image", 32}});
  const Trace text = step_of("gpt2-small", {{"layers", 1}, {"seq", 8}});
  EXPECT_TRUE(convolves(image));
  EXPECT_FALSE(convolves(text));
  EXPECT_EQ(above(image), 1e6);
  EXPECT_LT(above(text), 0.9e6);
}

}  // namespace
}  // namespace siliconprof
