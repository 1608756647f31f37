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

void append_add(Trace& trace, TensorId left, TensorId right, TensorId to) {
  OpCall call = make_call(kAdd, std::vector<std::int64_t>{100}, Dtype::Float32, {});
  call.inputs[0] = left;
  call.inputs[1] = right;
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

TEST(CallTraffic, ALargeCacheKeepsAllThatTheRunBeforeTouched) {
  for (const CallTraffic& each : call_traffic(chain(), 1e7)) {
    EXPECT_LT(each.far_bytes, 1e-6);
    EXPECT_EQ(each.bytes, 800.0);
  }
}

TEST(CallTraffic, ASmallCacheKeepsNothing) {
  for (const CallTraffic& each : call_traffic(chain(), 1.0)) {
    EXPECT_NEAR(each.far_bytes, 800.0, 1e-3);
  }
}

TEST(CallTraffic, HalfIsLostWhenTheCacheWasTouchedOnce) {
  // b is read 400 bytes after it was written, and written 800 after it was read: 1/9 and 1/2 of it
  // are lost. a waits for a whole run of 1600, c for one but for itself: 8/9 and 27/35.
  const auto found = call_traffic(chain(), 800.0);
  EXPECT_NEAR(found[0].far_bytes, 400.0 * 8.0 / 9.0 + 200.0, 1e-9);
  EXPECT_NEAR(found[1].far_bytes, 400.0 / 9.0 + 400.0 * 27.0 / 35.0, 1e-9);
}

TEST(CallTraffic, WhatIsWrittenInPlaceMovesBothWays) {
  Trace trace;
  const TensorId a = tensor(trace, "a", 100, Role::Input);
  const TensorId b = tensor(trace, "b", 100, Role::Input);
  append_add(trace, a, b, a);
  const CallTraffic found = call_traffic(trace, 1.0).front();
  EXPECT_EQ(found.bytes, 1200.0);
  EXPECT_NEAR(found.far_bytes, 1200.0, 1e-3);
}

TEST(CallTraffic, MemoryThatIsReadAndWrittenIsTouchedOnce) {
  // d := c + c; a := a + b: a whole run touches 1600 bytes, which c waits for, and d for 1200.
  Trace trace;
  const TensorId a = tensor(trace, "a", 100, Role::Input);
  const TensorId b = tensor(trace, "b", 100, Role::Input);
  const TensorId c = tensor(trace, "c", 100, Role::Input);
  append_add(trace, c, c, tensor(trace, "d", 100, Role::Activation));
  append_add(trace, a, b, a);
  const CallTraffic found = call_traffic(trace, 1600.0).front();
  EXPECT_NEAR(found.far_bytes, 400.0 * 0.5 + 400.0 * 27.0 / 91.0, 1e-9);
}

TEST(CallTraffic, ACallIsLargeWhereTheCacheCantHoldItsMemory) {
  EXPECT_EQ(call_traffic(chain(), 800.0).front().large_bytes, 0.0);
  const CallTraffic large = call_traffic(chain(), 799.0).front();
  EXPECT_EQ(large.large_bytes, 800.0);
  EXPECT_EQ(large.large_far_bytes, large.far_bytes);
  // Of a table of 16 kB two rows are moved: 32 bytes, to as many, by indices.
  const Trace trace =
      single_op("embedding", {{"c", 4}, {"n", 2}, {"v", 1000}}, Dtype::Float32, {}, false);
  EXPECT_EQ(call_traffic(trace, 800.0).front().large_bytes, 0.0);
}

TEST(CallTraffic, AGatherBringsItsRowsNotTheTable) {
  const Trace trace =
      single_op("embedding", {{"c", 4}, {"n", 2}, {"v", 1000}}, Dtype::Float32, {}, false);
  const CallTraffic found = call_traffic(trace, 1.0).front();
  EXPECT_EQ(found.bytes, double(trace.cost().bytes()));
  EXPECT_EQ(found.far_bytes, found.bytes);
}

}  // namespace
}  // namespace siliconprof
