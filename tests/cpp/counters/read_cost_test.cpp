#include "siliconprof/counters/read_cost.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

// Moves a millisecond at every look, so that a batch always lasts that long.
class TickingClock final : public Clock {
 public:
  double now_s() override { return now_s_ += 1e-3; }

 private:
  double now_s_ = 0.0;
};

TEST(ReadCost, DividesABatchByItsReads) {
  TickingClock clock;
  EXPECT_NEAR(counter_read_cost_ns("wall_s", 100, clock).value(), 1e6 / 100, 1e-3);
}

TEST(ReadCost, RefusesUnknownCountersAndNoRepetitions) {
  TickingClock clock;
  EXPECT_THROW(counter_read_cost_ns("wall", 10, clock), UnknownNameError);
  EXPECT_THROW(counter_read_cost_ns("wall_s", 0, clock), ArgumentError);
  EXPECT_THROW(counter_read_cost_ns("wall_s", 1 << 20, clock), ArgumentError);
}

}  // namespace
}  // namespace siliconprof
