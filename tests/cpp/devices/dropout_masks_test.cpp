#include "siliconprof/devices/dropout_masks.h"

#include <gtest/gtest.h>

#include "siliconprof/devices/allocator_rules.h"
#include "siliconprof/workloads/builder.h"
#include "siliconprof/workloads/passes/differentiate.h"

namespace siliconprof {
namespace {

/// A parameter of 1000 elements, dropped twice.
Trace dropped_twice(Dtype dtype) {
  Builder b("made", dtype);
  const TensorId p = b.parameter("p", {1000}, Initial{Initial::Kind::Constant, 1.0});
  const TensorId once = b.call("dropout", {1000}, {p}, {0.1, 1.0});
  const TensorId twice = b.call("dropout", {1000}, {once}, {0.1, 2.0});
  return differentiate(std::move(b).finish(b.call("sum", {1, 1000, 1}, {twice})));
}

std::vector<std::int64_t> bytes_of_masks(const Trace& trace, const AllocatorRules& rules,
                                         std::int32_t first, std::int32_t last) {
  const Requests found = requests(trace, rules);
  const std::vector<std::int64_t> bytes = bytes_of(found, trace, rules);
  std::vector<std::int64_t> masks;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].first == first && found[i].last == last) masks.push_back(bytes[i]);
  }
  return masks;
}

TEST(DropoutMasks, AreHeldFromEachForwardCallToItsGradient) {
  const Trace trace = dropped_twice(Dtype::Float32);
  const auto found = dropout_masks(trace, true);
  ASSERT_EQ(found.size(), 2);
  // Calls: dropout, dropout, sum, its gradient's fill and broadcast, the gradients of both.
  const auto end = std::int32_t(trace.calls().size()) - 1;
  EXPECT_EQ(std::pair(found[0].first, found[0].last), std::pair(1, end - 1));
  EXPECT_EQ(std::pair(found[1].first, found[1].last), std::pair(0, end));
}

TEST(DropoutMasks, AreBytesOnCudaAndElementsElsewhere) {
  for (const Dtype dtype : {Dtype::Float32, Dtype::Float64}) {
    const Trace trace = dropped_twice(dtype);
    const auto end = std::int32_t(trace.calls().size()) - 1;
    const auto own = std::int64_t(size_bytes(dtype)) * 1000;
    const auto masks = [&](const AllocatorRules& rules) {
      return bytes_of_masks(trace, rules, 1, end - 1);
    };
    EXPECT_EQ(masks(SegmentRules{}), (std::vector<std::int64_t>{1000}));
    EXPECT_EQ(masks(HeapRules{}), (std::vector<std::int64_t>{own}));
    EXPECT_EQ(masks(CacheRules{}), (std::vector<std::int64_t>{own}));
  }
}

}  // namespace
}  // namespace siliconprof
