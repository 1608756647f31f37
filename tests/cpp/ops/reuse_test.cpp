#include "siliconprof/ops/reuse.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/ops/add.h"
#include "siliconprof/ops/copy.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TensorId tensor(Trace& trace, const char* name, std::int64_t n, Role role) {
  return trace.add_tensor({name, {n}, Dtype::Float32, role});
}

void append_copy(Trace& trace, TensorId from, TensorId to, std::int64_t n) {
  OpCall call = make_call(kCopy, std::vector<std::int64_t>{n}, Dtype::Float32, {});
  call.inputs[0] = from;
  call.outputs[0] = to;
  trace.append(call);
}

// a → b, b → c: 400 bytes each.
Trace chain() {
  Trace trace;
  const TensorId a = tensor(trace, "a", 100, Role::Input);
  const TensorId b = tensor(trace, "b", 100, Role::Activation);
  const TensorId c = tensor(trace, "c", 100, Role::Activation);
  append_copy(trace, a, b, 100);
  append_copy(trace, b, c, 100);
  return trace;
}

TEST(FarBytes, ALargeCacheKeepsAllThatTheRunBeforeTouched) {
  EXPECT_EQ(far_bytes(chain(), 1e6), (std::vector<double>{0.0, 0.0}));
}

TEST(FarBytes, ASmallCacheKeepsWhatTheCallBeforeTouched) {
  // b is in both calls: 800 bytes are touched again before it is done with. a and c wait for a
  // whole run of 1600.
  EXPECT_EQ(far_bytes(chain(), 1200.0), (std::vector<double>{400.0, 400.0}));
}

TEST(FarBytes, BetweenThreeAndFiveQuartersOfTheCacheAPartIsFar) {
  // b: 800 bytes of a cache of 800 are half way.
  EXPECT_DOUBLE_EQ(far_bytes(chain(), 800.0)[1], 200.0 + 400.0);
}

TEST(FarBytes, MemoryThatIsReadAndWrittenCountsOnce) {
  Trace trace;
  const TensorId a = tensor(trace, "a", 100, Role::Input);
  const TensorId b = tensor(trace, "b", 100, Role::Input);
  OpCall call = make_call(kAdd, std::vector<std::int64_t>{100}, Dtype::Float32, {});
  call.inputs[0] = a;
  call.inputs[1] = b;
  call.outputs[0] = a;
  trace.append(call);
  EXPECT_EQ(far_bytes(trace, 1.0), std::vector<double>{800.0});
}

TEST(FarBytes, AGatherBringsItsRowsNotTheTable) {
  const Trace trace =
      single_op("embedding", {{"c", 4}, {"n", 2}, {"v", 1000}}, Dtype::Float32, {}, false);
  EXPECT_EQ(far_bytes(trace, 1.0), std::vector<double>{double(trace.cost().bytes())});
}

}  // namespace
}  // namespace siliconprof
