#include "siliconprof/devices/alone_error.h"

#include <gtest/gtest.h>

#include "devices/made_device.h"
#include "siliconprof/devices/model_backend.h"
#include "siliconprof/workloads/passes/replicate.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

Framework erring_framework() {
  Framework framework = made_framework();
  framework.numbers["call.any.elementwise.calibrated_error_part"] = made_number(1.0);
  framework.numbers["call.any.elementwise.calibrated_short_error_part"] = made_number(3.0);
  framework.numbers["call.any.reduction.calibrated_error_part"] = made_number(0.5);
  framework.numbers["call.any.short_s"] = made_number(1e-3);
  return framework;
}

/// Whose additions take 1 ns a byte, known to 0.25.
Device measured_device() {
  Device device = made_device();
  const std::string kernel = "kernel.made-fw.elementwise.float32.";
  device.numbers[kernel + "cached_bytes_per_s"] = made_number(1e9, 0.25);
  return device;
}

Trace relu(std::int64_t n) { return single_op("relu", {{"n", n}}, Dtype::Float32, {}, false); }

TEST(AloneErrors, AreAClasssAndOfShortCallsTheirOwnWhereThereIsOne) {
  const AloneErrors errors = alone_errors(made_device(), erring_framework());
  EXPECT_EQ(errors.of(OpClass::Elementwise, 2e-3), 1.0);
  EXPECT_EQ(errors.of(OpClass::Elementwise, 1e-3), 1.0);
  EXPECT_EQ(errors.of(OpClass::Elementwise, 0.9e-3), 3.0);
  EXPECT_EQ(errors.of(OpClass::Reduction, 0.9e-3), 0.5);
  EXPECT_EQ(errors.of(OpClass::Sort, 0.9e-3), 0.0);
}

TEST(AloneErrors, WidenACallByItselfWhereKernelsWereMeasured) {
  const Model model(measured_device(), erring_framework());
  const auto ends = [&](std::int64_t n) {
    const Profile found = model.predict(relu(n));
    for (const Span& span : found.spans) EXPECT_EQ(span.interval_s, found.step().interval_s);
    const Interval interval = found.step().interval_s.value();
    EXPECT_NEAR(interval.lo * interval.hi, found.time_s() * found.time_s(), 1e-12);
    return interval.hi / found.time_s();
  };
  EXPECT_NEAR(ends(1'000'000), 2.0, 1e-9);  // 8 ms
  EXPECT_NEAR(ends(1'000), 4.0, 1e-9);
}

TEST(AloneErrors, AreNotNarrowerThanTheKernelsOwn) {
  Framework framework = erring_framework();
  framework.numbers["call.any.elementwise.calibrated_error_part"] = made_number(0.1);
  const Profile found = Model(measured_device(), framework).predict(relu(1'000'000));
  EXPECT_NEAR(found.step().interval_s->hi, 1.25 * found.time_s(), 1e-9);
}

TEST(AloneErrors, AreOfNoOtherDeviceAndOfNoStep) {
  const Trace one = relu(1'000'000);
  const Profile bare = Model(made_device(), made_framework()).predict(one);
  const Profile erring = Model(made_device(), erring_framework()).predict(one);
  EXPECT_EQ(erring.step().interval_s, bare.step().interval_s);

  const Trace two = replicate(one, 2, 1, false);
  ASSERT_EQ(two.calls().size(), 2U);
  const Profile both = Model(measured_device(), erring_framework()).predict(two);
  EXPECT_NEAR(both.step().interval_s->hi, 1.25 * both.time_s(), 1e-9);
}

}  // namespace
}  // namespace siliconprof
