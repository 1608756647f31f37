#include "siliconprof/devices/model_backend.h"

#include <gtest/gtest.h>

#include "devices/made_device.h"
#include "devices/offloaded_step.h"
#include "siliconprof/core/error.h"
#include "siliconprof/profile/loop.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

Trace product(std::int64_t n, Dtype dtype, bool vjp = false) {
  return single_op("matmul", {{"m", n}, {"k", n}, {"n", n}}, dtype, {}, vjp);
}

double term(const Profile& profile, Term which) {
  return profile.step().terms.value()[static_cast<std::size_t>(which)];
}

TEST(Model, ALargeProductIsBoundByArithmetic) {
  const Model model(made_device(), made_framework());
  const Profile found = model.predict(product(1000, Dtype::Float32));
  // 2e9 flop at 5 TFLOP/s, 12 MB at 50 GB/s, 5 us launch.
  EXPECT_NEAR(term(found, Term::Matrix), 4e-4, 1e-12);
  EXPECT_NEAR(term(found, Term::Bandwidth), 2.4e-4, 1e-12);
  EXPECT_NEAR(found.time_s(), 4.05e-4, 1e-12);
  EXPECT_EQ(found.origin, Origin::Predicted);
  EXPECT_EQ(found.device, "made");
  EXPECT_EQ(found.framework, "made-fw");
}

TEST(Model, ASmallProductIsBoundByItsLaunch) {
  const Model model(made_device(), made_framework());
  const Profile found = model.predict(product(2, Dtype::Float32));
  EXPECT_GT(term(found, Term::Launch) / found.time_s(), 0.99);
}

TEST(Model, AStreamIsBoundByTraffic) {
  const Model model(made_device(), made_framework());
  const Profile found =
      model.predict(single_op("triad", {{"n", 1'000'000}}, Dtype::Float32, {}, false));
  EXPECT_NEAR(found.time_s(), 5e-6 + 12e6 / 5e10, 1e-12);
}

TEST(Model, ElementsLookedUpByAnIndexAreVectorWorkWithARateOfTheirOwn) {
  Framework framework = made_framework();
  framework.numbers["access.apple.gather.elements_per_cycle"] = made_number(0.1);
  Device device = made_device(10.0, 1e9);
  const Trace trace = single_op("gather", {{"rows", 10}, {"count", 1000}, {"columns", 10}},
                                Dtype::Float32, {}, false);
  const Profile found = Model(device, framework).predict(trace);
  EXPECT_NEAR(term(found, Term::Vector), 1e4 / 1e9, 1e-12);
  EXPECT_NEAR(found.time_s(), 5e-6 + 1e4 / 1e9, 1e-12);
}

TEST(Model, ABiasAddedApartComesOnTopOfItsProduct) {
  Framework framework = made_framework();
  framework.numbers["access.apple.matmul.result_passes"] = made_number(2.0);
  const Profile found = Model(made_device(), framework).predict(product(1000, Dtype::Float32));
  EXPECT_NEAR(found.time_s(), 4.05e-4 + 2 * 4e6 / 5e10, 1e-12);
}

TEST(Model, WhatArithmeticDoesNotHideOfAProductsTrafficComesOnTop) {
  Framework framework = made_framework();
  framework.numbers["access.apple.matmul.exposed_part"] = made_number(0.5);
  const Profile found = Model(made_device(), framework).predict(product(1000, Dtype::Float32));
  EXPECT_NEAR(found.time_s(), 4.05e-4 + 0.5 * 12e6 / 5e10, 1e-12);
}

TEST(Model, AProductOfALongSideIsSlowerInItsArithmeticAlone) {
  Framework framework = made_framework();
  framework.numbers["access.apple.matmul.long_side_part"] = made_number(0.5);
  const Trace trace = single_op("matmul", {{"batch", 1}, {"m", 40'000}, {"k", 640}, {"n", 640}},
                                Dtype::Float32, {}, false);
  const Profile found = Model(made_device(), framework).predict(trace);
  EXPECT_NEAR(found.time_s(), 5e-6 + 2.0 * 40'000 * 640 * 640 / 5e12 / 0.5, 1e-12);
}

TEST(Model, MemoryIsTheTracesLiveness) {
  const Trace trace = product(10, Dtype::Float32, true);
  const Profile found = Model(made_device(), made_framework()).predict(trace);
  EXPECT_EQ(found.memory_timeline, trace.memory());
  EXPECT_EQ(found.peak_memory_bytes, 5 * 400);  // two inputs, a cotangent, two gradients
}

TEST(Model, UnattributedIsTheOverlapAndNegative) {
  const Model model(made_device(), made_framework());
  const Profile found = model.predict(product(1000, Dtype::Float32));
  double sum_s = 0.0;
  for (const double seconds : found.step().terms.value()) sum_s += seconds;
  EXPECT_NEAR(found.time_s() - sum_s, -2.4e-4, 1e-12);
}

TEST(Model, IntervalsComeFromTheNumbersErrors) {
  const Model model(made_device(), made_framework());
  const auto interval = model.predict(product(1000, Dtype::Float32)).step().interval_s.value();
  EXPECT_NEAR(interval.lo, 4e-6 + 4e-4 / 1.2, 1e-12);
  EXPECT_NEAR(interval.hi, 6e-6 + 4e-4 * 1.2, 1e-12);
}

TEST(Model, StepsAddUp) {
  const Model model(made_device(), made_framework());
  const Profile found = model.predict(product(1000, Dtype::Float32, true));
  // The second launch hides behind the first kernel.
  EXPECT_NEAR(found.time_s(), 5e-6 + 2 * 4e-4, 1e-12);
  EXPECT_NEAR(found.phase_s(Phase::Backward).value(), found.time_s(), 1e-15);
  EXPECT_FALSE(found.phase_s(Phase::Forward));
  EXPECT_NEAR(found.unattributed_s(), 0.0, 1e-15);
}

TEST(Model, RefusesADtypeThatTheDeviceLacks) {
  const Model model(made_device(), made_framework());
  try {
    model.predict(product(4, Dtype::Float64));
    FAIL() << "no error";
  } catch (const DtypeError& error) {
    EXPECT_EQ(std::string(error.what()),
              "[predict] made has no peak rate for float64; it has float32, float16");
  }
}

TEST(Model, RefusesImpossibleNumbersAndForeignDevices) {
  Device broken = made_device();
  broken.numbers["memory.bandwidth_bytes_per_s"].value = -1.0;
  EXPECT_THROW(Model(broken, made_framework()), DeviceError);
  Device foreign = made_device();
  foreign.vendor = "nvidia";
  EXPECT_THROW(Model(foreign, made_framework()), DeviceError);
}

TEST(Model, ACallThatJoinsALaunchHasNoneOfItsOwn) {
  const Model model(made_device(), made_framework());
  const Trace alone = single_op("copy", {{"n", 1000}}, Dtype::Float32, {}, false);
  Trace two = alone;
  OpCall joined = alone.calls()[0];
  joined.joins_launch = true;
  two.append(joined);
  const Profile found = model.predict(two);
  EXPECT_NEAR(term(found, Term::Launch), term(model.predict(alone), Term::Launch), 1e-15);
  EXPECT_GT(found.time_s(), model.predict(alone).time_s());
}

TEST(ModelBackend, IsReadyForAnotherOffloadedStepAfterTheFirst) {
  const Model model(made_offloading_device(), made_offloading_framework());
  const Trace second = offloaded_step(OffloadMode::Overlapped, 64);
  ModelBackend backend(model);
  profile(offloaded_step(OffloadMode::Overlapped, 8), backend, {}, Sampling::fixed(1, 0));
  const Profile found = profile(second, backend, {}, Sampling::fixed(1, 0));
  EXPECT_EQ(term(found, Term::Matrix), term(model.predict(second), Term::Matrix));
}

// Offloading changes nothing about what the forward pass finds in the cache.
TEST(ModelBackend, MeasuredKernelsOfAnOffloadedStepReadWhatIsFarFromMemoryToo) {
  Device device = made_offloading_device();
  device.numbers["memory.cache_bytes"] = made_number(1e4);
  const std::string kernel = "kernel.made-fw.elementwise.float32.";
  device.numbers[kernel + "memory_bytes_per_s"] = made_number(1e9);
  const Model model(device, made_offloading_framework());
  const auto forward_bandwidth_s = [&](OffloadMode mode) {
    const Profile found = model.predict(offloaded_step(mode, 64));
    for (const Span& span : found.spans) {
      const bool is_forward = span.kind == SpanKind::Phase && span.phase == Phase::Forward;
      if (is_forward) return span.terms.value()[static_cast<std::size_t>(Term::Bandwidth)];
    }
    return 0.0;
  };
  EXPECT_NEAR(forward_bandwidth_s(OffloadMode::Serial), forward_bandwidth_s(OffloadMode::None),
              1e-12);
}

// 196 windows of 576 elements, each staged once at 1e7 a second: products take microseconds.
TEST(Model, AConvolutionIn16BitsStagesAsMuchAsInFloat32) {
  Framework framework = made_framework();
  const std::string stem = "convolution.apple.float32.forward.";
  for (const char* key : {"start_s", "few_part", "two_axes_part"}) {
    framework.numbers[stem + key] = made_number(1e-7);
  }
  framework.numbers[stem + "bandwidth"] = made_number(0.5);
  framework.numbers[stem + "reach"] = made_number(0.5);
  framework.numbers[stem + "staged_per_flop"] = made_number(1e-6);
  const Model model(made_device(), framework);
  for (const Dtype dtype : {Dtype::Float32, Dtype::Float16}) {
    const Trace trace = single_op("conv2d",
                                  {{"batch", 1},
                                   {"height", 16},
                                   {"width", 16},
                                   {"channels", 64},
                                   {"outputs", 64},
                                   {"kernel_h", 3},
                                   {"kernel_w", 3}},
                                  dtype, {}, false);
    EXPECT_NEAR(model.predict(trace).time_s(), 196 * 576 / 1e7, 2e-5) << name(dtype);
  }
}

}  // namespace
}  // namespace siliconprof
