#include "siliconprof/devices/kernel_rates.h"

#include <gtest/gtest.h>

#include "devices/made_device.h"
#include "siliconprof/devices/model_backend.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

Device calibrated_device() {
  Device device = made_device();
  device.numbers["memory.cache_bytes"] = made_number(1e4);
  const std::string add = "kernel.made-fw.add.float32.";
  device.numbers[add + "start_s"] = made_number(1e-6, 0.1);
  device.numbers[add + "cached_bytes_per_s"] = made_number(1e9, 0.2);
  device.numbers[add + "memory_bytes_per_s"] = made_number(2e9, 0.1);
  device.numbers["kernel.made-fw.elementwise.float32.cached_bytes_per_s"] = made_number(5e8);
  return device;
}

Trace stream(const char* op, std::int64_t n) {
  return single_op(op, {{"n", n}}, Dtype::Float32, {}, false);
}

// Whose rates serve the only call.
std::string_view kernel_of(const Device& device, const Trace& trace) {
  return KernelRates(device, "made-fw").find(trace.calls().front())->kernel;
}

TEST(KernelRates, SecondsAreTheStartAndOneOverEachRate) {
  const KernelRates rates(calibrated_device(), "made-fw");
  const Trace trace = stream("add", 100);
  const KernelRate* rate = rates.find(trace.calls().front());
  ASSERT_NE(rate, nullptr);
  EXPECT_EQ(rate->relative_error, 0.2);
  const auto times_s = rate->times_s({1.0, 0.0, 0.0, 0.0, 0.0, 1200.0, 600.0});
  EXPECT_DOUBLE_EQ(times_s[0], 1e-6);
  EXPECT_DOUBLE_EQ(times_s[5], 1.2e-6);
  EXPECT_DOUBLE_EQ(times_s[6], 0.3e-6);
}

TEST(KernelRates, AnOpThatWasNotMeasuredHasItsClasss) {
  const KernelRates rates(calibrated_device(), "made-fw");
  const Trace copy = stream("copy", 100);
  const KernelRate* rate = rates.find(copy.calls().front());
  ASSERT_NE(rate, nullptr);
  EXPECT_DOUBLE_EQ(rate->seconds_per_unit[5], 2e-9);
}

Framework with_stand_in(const std::string& key, double part) {
  Framework framework = made_framework();
  framework.numbers["stand_in." + key] = made_number(part, 0.15);
  return framework;
}

TEST(KernelRates, AnOpThatWasNotMeasuredHasThoseOfItsStandInTimesItsPart) {
  const Trace copy = stream("copy", 100);
  const KernelRates rates(calibrated_device(), with_stand_in("any.copy.add", 3.0));
  const KernelRate* rate = rates.find(copy.calls().front());
  ASSERT_NE(rate, nullptr);
  EXPECT_EQ(rate->kernel, "copy");
  const auto times_s = rate->times_s({1.0, 0.0, 0.0, 0.0, 0.0, 1200.0, 600.0});
  EXPECT_DOUBLE_EQ(times_s[0], 1e-6);
  EXPECT_DOUBLE_EQ(times_s[5], 3.6e-6);
  EXPECT_DOUBLE_EQ(times_s[6], 0.3e-6) << "memory is as quick for both";
  EXPECT_FALSE(rate->knows_large());
  EXPECT_DOUBLE_EQ(rate->relative_error, 0.25);  // of 0.2 and 0.15
}

// Of a device that knows what a copy takes: 1 ns a byte in cache, 4 more from memory, 3 where it
// streams; and a function that computes for 2 ns a byte wherever that is.
Device device_with_a_copy() {
  Device device = made_device();
  const auto set = [&device](const std::string& key, double value) {
    device.numbers["kernel.made-fw." + key] = made_number(value);
  };
  set("copy.float32.cached_bytes_per_s", 1e9);
  set("copy.float32.memory_bytes_per_s", 0.25e9);
  set("copy.float32.streamed_bytes_per_s", 1e9 / 3.0);
  set("gelu_tanh.float32.cached_bytes_per_s", 0.5e9);
  set("gelu_tanh.float32.streamed_bytes_per_s", 0.5e9);
  return device;
}

// What is left of that device's kernels without some rates, and of relu by `kernel` at `part`.
KernelRate relu_without(const std::vector<std::string>& rates, const std::string& kernel,
                        double part) {
  Device device = device_with_a_copy();
  device.numbers["kernel.made-fw.sum.float32.cached_bytes_per_s"] = made_number(1e9);
  device.numbers["kernel.made-fw.sum.float32.memory_bytes_per_s"] = made_number(1e9 / 6.0);
  device.numbers["kernel.made-fw.sum.float32.streamed_bytes_per_s"] = made_number(0.2e9);
  for (const std::string& rate : rates) device.numbers.erase("kernel.made-fw." + rate);
  const KernelRates found(device, with_stand_in("any.relu." + kernel, part));
  return *found.find(stream("relu", 100).calls().front());
}

TEST(KernelRates, WhatAStandInWaitsForMemoryItWaitsForToo) {
  const KernelRate alike =
      relu_without({}, "sum", 1.5);  // 1 ns a byte in cache, 5 where it streams
  EXPECT_DOUBLE_EQ(alike.at(Work::Cached), 1.5e-9);
  EXPECT_DOUBLE_EQ(alike.at(Work::Streamed), 5.5e-9);
  EXPECT_DOUBLE_EQ(alike.at(Work::Memory), 6e-9) << "where a copy's would be 3.5";
  EXPECT_DOUBLE_EQ(relu_without({}, "sum", 8.0).at(Work::Streamed), 12e-9);
}

TEST(KernelRates, AStandInOfWhichLargeCallsAloneAreKnownIsAsManyTimesAsLong) {
  const KernelRate large = relu_without({"gelu_tanh.float32.cached_bytes_per_s"}, "gelu_tanh", 3.0);
  EXPECT_EQ(large.at(Work::Cached), 0.0);
  EXPECT_EQ(large.at(Work::Memory), 0.0);
  EXPECT_DOUBLE_EQ(large.at(Work::Streamed), 6e-9);
}

TEST(KernelRates, WithoutAStreamAStandInGoesByItsOwnMemory) {
  const std::vector<std::string> copys{"copy.float32.cached_bytes_per_s",
                                       "copy.float32.memory_bytes_per_s",
                                       "copy.float32.streamed_bytes_per_s"};
  const KernelRate alone = relu_without(copys, "gelu_tanh", 3.0);
  EXPECT_DOUBLE_EQ(alone.at(Work::Cached), 6e-9);
  EXPECT_EQ(alone.at(Work::Memory), 0.0);
  EXPECT_DOUBLE_EQ(alone.at(Work::Streamed), 6e-9);
}

TEST(KernelRates, NoByteComesFromBeyondTheCacheSoonerThanTheQuickestStreams) {
  const auto rate = [](double part) {
    const KernelRates rates(device_with_a_copy(), with_stand_in("any.relu.gelu_tanh", part));
    return *rates.find(stream("relu", 100).calls().front());
  };
  const KernelRate light = rate(0.5);  // what computes for 1 ns a byte waits for memory
  EXPECT_DOUBLE_EQ(light.at(Work::Cached), 1e-9);
  EXPECT_DOUBLE_EQ(light.at(Work::Memory), 4e-9);
  EXPECT_DOUBLE_EQ(light.at(Work::Streamed), 3e-9);
  const KernelRate middle = rate(2.0);  // 4 ns: of a copy's 5 one is left, and none of its 3
  EXPECT_NEAR(middle.at(Work::Memory), 1e-9, 1e-18);
  EXPECT_DOUBLE_EQ(middle.at(Work::Streamed), 4e-9);
  Device quicker = device_with_a_copy();  // in place
  quicker.numbers["kernel.made-fw.add.float32.cached_bytes_per_s"] = made_number(1e9);
  quicker.numbers["kernel.made-fw.add.float32.memory_bytes_per_s"] = made_number(1e9);
  quicker.numbers["kernel.made-fw.add.float32.streamed_bytes_per_s"] = made_number(0.4e9);
  const KernelRates rates(quicker, with_stand_in("any.relu.gelu_tanh", 0.5));
  const KernelRate in_place = *rates.find(stream("relu", 100).calls().front());
  EXPECT_DOUBLE_EQ(in_place.at(Work::Memory), 1e-9);
  EXPECT_DOUBLE_EQ(in_place.at(Work::Streamed), 2.5e-9);
  const KernelRate heavy = rate(4.0);
  EXPECT_EQ(heavy.at(Work::Memory), 0.0);
  EXPECT_DOUBLE_EQ(heavy.at(Work::Streamed), 8e-9);
}

TEST(KernelRates, ACallLargerThanTheCacheStreamsWhereThatWasMeasured) {
  Device device = calibrated_device();
  const Model unknown(device, made_framework());
  device.numbers["kernel.made-fw.add.float32.streamed_bytes_per_s"] = made_number(4e9);
  const Model known(device, made_framework());
  const Trace large = stream("add", 1000);  // 12 kB through a cache of 10
  EXPECT_NEAR(known.predict(large).time_s(), 1e-6 + 3e-6, 1e-12);
  EXPECT_GT(unknown.predict(large).time_s(), 1e-6 + 12e-6);
  const Trace small = stream("add", 100);
  EXPECT_EQ(known.predict(small).time_s(), unknown.predict(small).time_s());
  device.numbers.erase("kernel.made-fw.add.float32.cached_bytes_per_s");
  device.numbers.erase("kernel.made-fw.add.float32.memory_bytes_per_s");
  const Model large_alone(device, made_framework());
  EXPECT_NEAR(large_alone.predict(small).time_s(), 1e-6 + 0.3e-6, 1e-12);
}

TEST(KernelRates, WhatWasMeasuredNeedsNoStandInAndWhatWasNotIsNone) {
  Device device = calibrated_device();
  const Trace add = stream("add", 100);
  const Trace copy = stream("copy", 100);
  const KernelRates measured(device, with_stand_in("any.add.copy", 3.0));
  EXPECT_DOUBLE_EQ(measured.find(add.calls().front())->seconds_per_unit[5], 1e-9);
  const KernelRates none(device, with_stand_in("any.copy.relu", 3.0));
  EXPECT_DOUBLE_EQ(none.find(copy.calls().front())->seconds_per_unit[5], 2e-9) << "its class's";
  Framework in_turn = with_stand_in("any.copy.add", 3.0);
  in_turn.numbers["stand_in.any.relu.copy"] = made_number(3.0);
  const Trace relu = stream("relu", 100);
  const KernelRates rates(device, in_turn);
  EXPECT_DOUBLE_EQ(rates.find(relu.calls().front())->seconds_per_unit[5], 2e-9);
}

TEST(KernelRates, AStandInOfTheDevicesFamilyGoesBeforeAnyones) {
  Framework framework = with_stand_in("any.copy.add", 3.0);
  const std::string family = calibrated_device().family;
  framework.numbers["stand_in." + family + ".copy.add"] = made_number(5.0);
  const Trace copy = stream("copy", 100);
  const KernelRates rates(calibrated_device(), framework);
  EXPECT_DOUBLE_EQ(rates.find(copy.calls().front())->seconds_per_unit[5], 5e-9);
}

TEST(KernelRates, WhatWasNotMeasuredOfAShortSideGoesByItsLayoutThenByItsClass) {
  Device device = made_device();
  const auto add = [&device](const std::string& kernel, double start_s) {
    device.numbers["kernel.made-fw." + kernel + ".float32.start_s"] = made_number(start_s);
  };
  const Trace thin =
      single_op("matmul", {{"m", 4}, {"k", 40}, {"n", 40}}, Dtype::Float32, {}, false);
  const auto start_s = [&] {
    return KernelRates(device, "made-fw").find(thin.calls().front())->seconds_per_unit[0];
  };
  add("matrix_product", 1e-6);
  EXPECT_EQ(start_s(), 1e-6);
  add("product_data_gradient", 2e-6);
  EXPECT_EQ(start_s(), 2e-6);
  add("product_thin", 3e-6);
  EXPECT_EQ(start_s(), 3e-6);
  const Trace narrow = single_op(
      "conv1d", {{"batch", 1}, {"length", 8}, {"channels", 3}, {"outputs", 4}, {"kernel", 2}},
      Dtype::Float32, {}, false);
  add("conv2d", 4e-6);
  EXPECT_EQ(kernel_of(device, narrow), "conv2d");
  add("conv2d_narrow", 5e-6);
  EXPECT_EQ(kernel_of(device, narrow), "conv2d_narrow");
}

TEST(KernelRates, AProductWithAVectorThatWasNotMeasuredIsAThinOne) {
  Device device = made_device();
  const Trace row =
      single_op("matmul", {{"m", 1}, {"k", 40}, {"n", 40}}, Dtype::Float32, {}, false);
  const auto kernel = [&] { return kernel_of(device, row); };
  device.numbers["kernel.made-fw.product_data_gradient.float32.start_s"] = made_number(1e-6);
  EXPECT_EQ(kernel(), "product_data_gradient");
  device.numbers["kernel.made-fw.product_thin.float32.start_s"] = made_number(1e-6);
  EXPECT_EQ(kernel(), "product_thin");
  device.numbers["kernel.made-fw.matvec.float32.start_s"] = made_number(1e-6);
  EXPECT_EQ(kernel(), "matvec");
}

TEST(KernelRates, SumsOfRowsThatWereNotMeasuredGoBySums) {
  Device device = made_device();
  const Trace rows =
      single_op("sum", {{"outer", 4}, {"size", 8}, {"inner", 1}}, Dtype::Float32, {}, false);
  const auto kernel = [&] { return kernel_of(device, rows); };
  device.numbers["kernel.made-fw.sum.float32.cached_bytes_per_s"] = made_number(1e9);
  EXPECT_EQ(kernel(), "sum");
  device.numbers["kernel.made-fw.sum_rows.float32.cached_bytes_per_s"] = made_number(1e9);
  EXPECT_EQ(kernel(), "sum_rows");
}

TEST(KernelRates, ASortsComparisonsAreNoRateOfItsGradient) {
  Device device = made_device();
  device.numbers["kernel.made-fw.sort.float32.arithmetic_flops_per_s"] = made_number(1e9);
  const KernelRates rates(device, "made-fw");
  const std::map<std::string, std::int64_t> dims{{"outer", 1}, {"size", 8}, {"inner", 1}};
  const Trace sort = single_op("sort", dims, Dtype::Float32, {}, false);
  ASSERT_NE(rates.find(sort.calls().front()), nullptr);
  EXPECT_EQ(rates.find(single_op("sort_backward", dims, Dtype::Float32, {}, false).calls().front()),
            nullptr);
  // 17 comparisons, which no matrix unit makes.
  const Profile found = Model(device, made_framework()).predict(sort);
  const Terms terms = found.spans.back().terms.value();
  EXPECT_NEAR(at(terms, Term::Vector), 17e-9, 1e-15);
  EXPECT_EQ(at(terms, Term::Matrix), 0.0);
}

TEST(KernelRates, OtherFrameworksAndDtypesHaveNone) {
  EXPECT_TRUE(KernelRates(calibrated_device(), "torch-cpu").empty());
  const Trace trace = single_op("add", {{"n", 4}}, Dtype::Float64, {}, false);
  EXPECT_EQ(KernelRates(calibrated_device(), "made-fw").find(trace.calls().front()), nullptr);
}

TEST(KernelRates, AVersionOfAFrameworkHasItsKernels) {
  EXPECT_FALSE(KernelRates(calibrated_device(), "made-fw@1.2").empty());
}

TEST(KernelRates, JoinedOnesHaveTheProductsOfTheOneAndTheOthersOfTheOther) {
  Device products = calibrated_device();
  products.numbers["kernel.made-fw.matrix_product.float32.start_s"] = made_number(3e-6);
  const KernelRates one(products, "made-fw");
  const KernelRates none;
  const Trace add = stream("add", 100);
  const Trace product =
      single_op("matmul", {{"batch", 1}, {"m", 4}, {"k", 4}, {"n", 4}}, Dtype::Float32, {}, false);
  const KernelRates matrix_alone = KernelRates::joined(one, none);
  EXPECT_EQ(matrix_alone.find(add.calls().front()), nullptr);
  ASSERT_NE(matrix_alone.find(product.calls().front()), nullptr);
  EXPECT_EQ(matrix_alone.find(product.calls().front())->seconds_per_unit[0], 3e-6);
  const KernelRates others_alone = KernelRates::joined(none, one);
  EXPECT_NE(others_alone.find(add.calls().front()), nullptr);
  EXPECT_EQ(others_alone.find(product.calls().front()), nullptr);
}

TEST(KernelRates, APredictionIsTheSumOfTheMeasuredTerms) {
  const Model model(calibrated_device(), made_framework());
  // 12 MB through the cache, all of it from beyond: 1 us + 12 ms + 6 ms, and no launch besides.
  const Profile found = model.predict(stream("add", 1'000'000));
  EXPECT_NEAR(found.time_s(), 1e-6 + 12e-3 + 6e-3, 1e-9);
  // 120 bytes are near when the step begins again: 1 us + 120 ns.
  EXPECT_NEAR(model.predict(stream("add", 10)).time_s(), 1e-6 + 120e-9, 1e-12);
}

TEST(KernelRates, TheIntervalIsTheKernelsResidual) {
  const Model model(calibrated_device(), made_framework());
  const Profile found = model.predict(stream("add", 10));
  const auto interval = found.step().interval_s.value();
  EXPECT_NEAR(interval.lo, found.time_s() / 1.2, 1e-15);
  EXPECT_NEAR(interval.hi, found.time_s() * 1.2, 1e-15);
}

}  // namespace
}  // namespace siliconprof
