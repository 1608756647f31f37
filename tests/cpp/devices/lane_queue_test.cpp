#include "siliconprof/devices/lane_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "siliconprof/devices/queue.h"

namespace siliconprof {
namespace {

// Issued in 3 s or run in 3 s, by turns, with each lane's kernels and launches longer by a part of
// its own: some lanes are bound by launches, some by kernels.
const std::array<std::pair<double, double>, 3> kKernels{{{3.0, 1.0}, {1.0, 3.0}, {2.0, 2.1}}};
const std::vector<std::int32_t> kOrder{0, 1, 1, 2, 0, 0, 2, 1, 2};

double issue_s(std::size_t kind, std::size_t lane) {
  return kKernels[kind].first * (1.0 + 0.3 * double(lane));
}
double kernel_s(std::size_t kind, std::size_t lane) {
  return kKernels[kind].second * (2.0 - 0.2 * double(lane));
}

std::vector<LaneKernel> made_kernels() {
  std::vector<LaneKernel> kernels;
  for (std::size_t kind = 0; kind < kKernels.size(); ++kind) {
    Lanes issue{};
    Lanes kernel{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      issue[lane] = issue_s(kind, lane);
      kernel[lane] = kernel_s(kind, lane);
    }
    kernels.push_back({LaneVector(issue), LaneVector(kernel)});
  }
  return kernels;
}

TEST(LaneVector, KeepsItsLanes) {
  const Lanes lanes{1.0, 5.0, 2.0, 4.0, 3.0};
  EXPECT_EQ(LaneVector(lanes).lanes(), lanes);
  EXPECT_EQ((LaneVector(lanes) + LaneVector({1, 1, 1, 1, 2})).lanes(), (Lanes{2, 6, 3, 5, 5}));
  EXPECT_EQ(larger(LaneVector(lanes), LaneVector({3, 3, 3, 3, 3})).lanes(), (Lanes{3, 5, 3, 4, 3}));
}

TEST(LaneQueue, EachLaneIsAQueueOfItsOwn) {
  for (const bool asynchronous : {true, false}) {
    LaneQueue queue(asynchronous);
    queue.work(LaneVector({0.5, 0.5, 0.5, 0.5, 0.5}));
    queue.run(std::span(kOrder).first(4), made_kernels());
    queue.wait();
    queue.run(std::span(kOrder).subspan(4), made_kernels());
    const Lanes end_s = queue.end_s();
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      Queue own(asynchronous);
      double sum_s = 0.0;
      for (std::size_t i = 0; i < kOrder.size(); ++i) {
        const auto kind = std::size_t(kOrder[i]);
        if (i == 4) own.wait();
        const double before_s = i == 0 ? 0.5 : 0.0;
        sum_s += own.run(before_s + issue_s(kind, lane), kernel_s(kind, lane));
      }
      EXPECT_NEAR(end_s[lane], sum_s, 1e-12) << lane;
    }
  }
}

}  // namespace
}  // namespace siliconprof
