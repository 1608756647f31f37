#include "siliconprof/devices/paging.h"

#include <gtest/gtest.h>

#include <limits>

#include "devices/made_device.h"
#include "siliconprof/core/error.h"
#include "siliconprof/devices/step_prediction.h"
#include "siliconprof/workloads/single_op.h"
#include "siliconprof/workloads/training_step.h"

namespace siliconprof {
namespace {

// Pages of 1 kB: 1 us to wire one, 100 us to swap one; 800 kB stay wired, 1 MB is there.
constexpr PagingUnit kUnit{1e3, 800e3, 1e6, 1e-6, 100e-6, 0.1, 0.25, 0.5};

TEST(Paging, CostsNothingWhileEverythingStaysWired) {
  const Paging found = paging(kUnit, 720'000, 5e6);
  EXPECT_EQ(found.seconds, 0.0);
  EXPECT_EQ(found.faults(), 0.0);
  EXPECT_EQ(found.interval_s.hi, 0.0);
  EXPECT_EQ(found.resident_bytes, 720e3);
}

TEST(Paging, MayHappenSoNearBelowTheLimitToo) {
  // The limit is known to a tenth: above nine of ten parts of it, 5,000 pages of 1 us may be wired.
  const Paging found = paging(kUnit, 800'000, 5e6);
  EXPECT_EQ(found.seconds, 0.0);
  EXPECT_EQ(found.faults(), 0.0);
  EXPECT_EQ(found.interval_s.lo, 0.0);
  EXPECT_DOUBLE_EQ(found.interval_s.hi, 5e-3 * 1.25);
}

TEST(Paging, WiresWhatKernelsTouchAboveTheLimit) {
  // 5 MB are 5,000 pages of 1 us. So near the limit (within a tenth) it may not happen at all.
  const Paging found = paging(kUnit, 850'000, 5e6);
  EXPECT_DOUBLE_EQ(found.wired_pages, 5000.0);
  EXPECT_EQ(found.swapped_pages, 0.0);
  EXPECT_DOUBLE_EQ(found.seconds, 5e-3);
  EXPECT_EQ(found.interval_s.lo, 0.0);
  EXPECT_DOUBLE_EQ(found.interval_s.hi, 5e-3 * 1.25);
}

TEST(Paging, SwapsWhatMemoryDoesNotHold) {
  // 200 kB beyond 1 MB: 200 pages of 100 us, besides the 5,000 wired.
  const Paging found = paging(kUnit, 1'200'000, 5e6);
  EXPECT_DOUBLE_EQ(found.swapped_pages, 200.0);
  EXPECT_DOUBLE_EQ(found.seconds, 25e-3);
  EXPECT_DOUBLE_EQ(found.interval_s.lo, 5e-3 / 1.25 + 20e-3 / 1.5);
  EXPECT_DOUBLE_EQ(found.resident_bytes, 1e6);
}

TEST(Paging, SaysWhatItTakesAndWhichLimitsTheStepIsBeyond) {
  constexpr PagingUnit kLarge{1e6, 8e9, 10e9, 1e-3, 0.1, 0.1, 0.25, 0.5};
  const auto note = [](const PagingUnit& unit, std::int64_t peak_bytes) {
    return paging_note(unit, paging(unit, peak_bytes, 50e9), peak_bytes);
  };
  EXPECT_EQ(note(kLarge, 7'000'000'000), "");
  EXPECT_EQ(note(kLarge, 9'000'000'000),
            "paging takes 50 s of the step, which holds 9 GB: up to 8 GB stay wired from kernel "
            "to kernel");
  EXPECT_EQ(note(kLarge, 10'500'000'000),
            "paging takes 100 s of the step, which holds 10.5 GB: up to 8 GB stay wired from "
            "kernel to kernel, and 0.5 GB leave memory and are read back");
  PagingUnit quick = kLarge;  // whose pages are counted, and take nothing
  quick.wire_s = 0.0;
  EXPECT_EQ(note(quick, 9'000'000'000),
            "paging takes 0 s of the step, which holds 9 GB: up to 8 GB stay wired from "
            "kernel to kernel");
  PagingUnit own = kLarge;  // a CPU's need not be wired
  own.kept_bytes = std::numeric_limits<double>::infinity();
  EXPECT_EQ(note(own, 10'500'000'000),
            "paging takes 50 s of the step, which holds 10.5 GB: 0.5 GB leave memory and are read "
            "back");
}

TEST(Paging, CompressesWhereThatFreesAByteForLessThanSwap) {
  // Half of a page is left: 200 pages are freed by 400 compressed ones, 2 us each.
  PagingUnit unit = kUnit;
  unit.compressed_part = 0.5;
  unit.compress_s = 2e-6;
  const Paging found = paging(unit, 1'200'000, 5e6);
  EXPECT_DOUBLE_EQ(found.compressed_pages, 400.0);
  EXPECT_EQ(found.swapped_pages, 0.0);
  EXPECT_DOUBLE_EQ(found.seconds, 5e-3 + 0.8e-3);
  EXPECT_DOUBLE_EQ(found.faults(), 5400.0);
}

TEST(Paging, SwapsWhatTheCompressorCannotFree) {
  // Of 2,500 pages memory holds 1,000, which are 2,000 compressed ones: 500 go to swap.
  PagingUnit unit = kUnit;
  unit.compressed_part = 0.5;
  unit.compress_s = 2e-6;
  const Paging found = paging(unit, 2'500'000, 5e6);
  EXPECT_DOUBLE_EQ(found.compressed_pages, 2000.0);
  EXPECT_DOUBLE_EQ(found.swapped_pages, 500.0);
  EXPECT_DOUBLE_EQ(found.seconds, 5e-3 + 2000 * 2e-6 + 500 * 102e-6);
  // At twice the memory all are compressed and none is swapped.
  EXPECT_DOUBLE_EQ(paging(unit, 2'000'000, 5e6).compressed_pages, 2000.0);
  EXPECT_EQ(paging(unit, 2'000'000, 5e6).swapped_pages, 0.0);
}

TEST(Paging, SwapsWhereMemoryIsLessThanWhatMayStayWired) {
  // 100 kB beyond 1 MB, within 1.2 MB: 100 pages leave, the others stay wired.
  PagingUnit unit = kUnit;
  unit.kept_bytes = 1.2e6;
  const Paging found = paging(unit, 1'100'000, 5e6);
  EXPECT_EQ(found.wired_pages, 0.0);
  EXPECT_DOUBLE_EQ(found.swapped_pages, 100.0);
  EXPECT_DOUBLE_EQ(found.seconds, 100 * 100e-6);
  EXPECT_DOUBLE_EQ(found.interval_s.lo, 100 * 100e-6 / 1.5);
  // A tenth below the limit of 1.2 MB and more they do stay wired.
  EXPECT_DOUBLE_EQ(paging(unit, 1'050'000, 5e6).interval_s.hi, 50 * 100e-6 * 1.5);
}

TEST(Paging, LeavesTheCompressorAloneWherePagesHardlyShrink) {
  // A page frees a hundredth for 2 us, a whole page for 200: swap does it for 102.
  PagingUnit unit = kUnit;
  unit.compressed_part = 0.99;
  unit.compress_s = 2e-6;
  const Paging found = paging(unit, 1'200'000, 5e6);
  EXPECT_EQ(found.compressed_pages, 0.0);
  EXPECT_DOUBLE_EQ(found.swapped_pages, 200.0);
  EXPECT_DOUBLE_EQ(found.seconds, 5e-3 + 200 * 102e-6);
}

TEST(Paging, ReadsTheCompressorFromTheDevice) {
  Device device = made_paging_device();
  device.numbers["paging.compressed_part"] = made_number(0.5);
  device.numbers["paging.compress_s"] = made_number(2e-6);
  const PagingUnit unit = paging_unit(device, made_number(0.8)).value();
  EXPECT_EQ(unit.compressed_part, 0.5);
  EXPECT_EQ(unit.compress_s, 2e-6);
  EXPECT_DOUBLE_EQ(unit.swap_s, 99e-6);  // 98 us and half of 2 kB at 1 GB/s
  device.numbers.erase("paging.compress_s");
  EXPECT_THROW(paging_unit(device, made_number(0.8)), DeviceError);
}

TEST(Paging, IsReadFromTheDevice) {
  const PagingUnit unit = paging_unit(made_paging_device(), made_number(0.8)).value();
  EXPECT_DOUBLE_EQ(unit.kept_bytes, 800e3);
  EXPECT_DOUBLE_EQ(unit.memory_bytes, 1e6);
  EXPECT_DOUBLE_EQ(unit.swap_s, 100e-6);  // 98 us and 2 kB at 1 GB/s
  EXPECT_FALSE(paging_unit(made_device(), made_number(0.8)));
  Device partial = made_paging_device();
  partial.numbers.erase("paging.wire_s");
  EXPECT_THROW(paging_unit(partial, made_number(0.8)), DeviceError);
}

TEST(Paging, WiresNothingForACpu) {
  Device cpu = made_paging_device();
  cpu.vendor = "cpu";
  cpu.numbers.erase("paging.wire_s");
  cpu.numbers.erase("memory.working_set_limit_bytes");
  const PagingUnit unit = paging_unit(cpu, made_number(0.8)).value();
  EXPECT_DOUBLE_EQ(unit.memory_bytes, 1e6);
  EXPECT_FALSE(may_page(unit, 1'000'000));
  const Paging found = paging(unit, 1'200'000, 5e6);
  EXPECT_EQ(found.wired_pages, 0.0);
  EXPECT_EQ(found.swapped_pages, 200.0);
  EXPECT_DOUBLE_EQ(found.seconds, 200 * 100e-6);
  EXPECT_DOUBLE_EQ(found.interval_s.lo, found.seconds / 1.5);
  EXPECT_DOUBLE_EQ(found.interval_s.hi, found.seconds * 1.5);
}

TEST(Paging, LeavesNoMemoryThatIsLessThanNothing) {
  Device device = made_paging_device();
  device.numbers["paging.system_bytes"] = made_number(1e15);
  EXPECT_EQ(paging_unit(device, made_number(0.8)).value().memory_bytes, 0.0);
}

TEST(Paging, IsATermOfAPredictionAndOfNothingElse) {
  // 100,000 float32 read and written: 800 kB fit, and a page more doesn't: 16 us at half of
  // 100 GB/s, 801 pages.
  const Model model(made_paging_device(), made_keeping_framework());
  const auto copy = [](std::int64_t n) {
    return single_op("copy", {{"n", n}}, Dtype::Float32, {}, false);
  };
  const Profile fits = model.predict(copy(100'000));
  constexpr auto kPaging = static_cast<std::size_t>(Term::Paging);
  EXPECT_EQ(fits.step().terms.value()[kPaging], 0.0);
  EXPECT_EQ(fits.time_s(), Model(made_device(), made_framework()).predict(copy(100'000)).time_s());
  EXPECT_TRUE(fits.counters.empty());
  const Profile paged = model.predict(copy(100'125));
  EXPECT_NEAR(paged.step().terms.value()[kPaging], 801e-6, 1e-12);
  EXPECT_NEAR(paged.time_s(), 5e-6 + 16.02e-6 + 801e-6, 1e-12);
  ASSERT_EQ(paged.counters.size(), 4u);
  EXPECT_EQ(paged.counters[0].name, "page_faults");
  EXPECT_NEAR(paged.counters[0].value.value(), 801.0, 1e-9);
}

// Alone or beside errors of sums, which say nothing of pages.
TEST(Paging, IsTheSameInASweep) {
  const Trace trace = training_step(
      {.workload = "gpt2-small", .sizes = {{"layers", 1}, {"batch", 1}, {"seq", 16}}});
  Framework sums = made_keeping_framework();
  sums.numbers["interval.other_part"] = made_number(0.2);
  sums.numbers["interval.host_part"] = made_number(0.3);
  for (const Framework& framework : {made_keeping_framework(), sums}) {
    const Model model(made_paging_device(), framework);
    const Profile profile = model.predict(trace);
    const Interval ends_s = profile.step().interval_s.value();
    const StepPrediction found = predict_step(model, summarise(trace), model.held_bytes(trace));
    EXPECT_GT(profile.step().terms.value()[static_cast<std::size_t>(Term::Paging)], 0.0);
    EXPECT_NEAR(found.time_s, profile.time_s(), 1e-9 * profile.time_s());
    EXPECT_NEAR(found.interval_s.lo, ends_s.lo, 1e-9 * ends_s.lo);
    EXPECT_NEAR(found.interval_s.hi, ends_s.hi, 1e-9 * ends_s.hi);
  }
}

TEST(Paging, WidensTheIntervalOfAStepByWhatItsPagesMayTake) {
  const Trace trace = training_step(
      {.workload = "gpt2-small", .sizes = {{"layers", 1}, {"batch", 1}, {"seq", 16}}});
  Framework sums = made_keeping_framework();
  sums.numbers["interval.other_part"] = made_number(1e-9);
  sums.numbers["interval.host_part"] = made_number(1e-9);
  const Model model(made_paging_device(), sums);
  const StepSummary step = summarise(trace);
  const Paging pages =
      paging(model.rates().paging.value(), model.held_bytes(trace), touched_bytes(step));
  ASSERT_GT(pages.interval_s.hi, pages.seconds);
  const Profile found = model.predict(trace);
  const Interval ends_s = found.step().interval_s.value();
  EXPECT_NEAR(ends_s.hi - found.time_s(), pages.interval_s.hi - pages.seconds, 1e-6);
  EXPECT_NEAR(found.time_s() - ends_s.lo, pages.seconds - pages.interval_s.lo, 1e-6);
}

}  // namespace
}  // namespace siliconprof
