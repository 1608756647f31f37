#include "siliconprof/devices/passes.h"

#include <gtest/gtest.h>

namespace siliconprof {
namespace {

PassHost made_host() { return PassHost({.begin_s = {1.0, 2.0, 3.0, 4.0}, .decoder_s = 0.5}); }

TEST(Passes, EachBeginsOnce) {
  PassHost host = made_host();
  EXPECT_EQ(host.before_s(Phase::Forward, false), 1.0);
  EXPECT_EQ(host.before_s(Phase::Forward, false), 0.0);
  EXPECT_EQ(host.before_s(Phase::Backward, false), 2.0);
  EXPECT_EQ(host.before_s(Phase::Optimizer, false), 3.0);
  EXPECT_EQ(host.before_s(Phase::Optimizer, true), 0.0) << "a wait that no decoder makes";
}

TEST(Passes, ASlowerHostTakesLongerForThem) {
  PassHost host(paced({.begin_s = {1.0, 2.0, 3.0, 4.0}, .decoder_s = 0.5}, 0.5));
  EXPECT_EQ(host.before_s(Phase::Forward, false), 2.0);
  EXPECT_EQ(host.before_s(Phase::Forward, true), 1.0);
  EXPECT_EQ(host.before_s(Phase::Optimizer, false), 6.0);
}

TEST(Passes, AccumulatedStepsBeginAgain) {
  PassHost host = made_host();
  host.before_s(Phase::Forward, false);
  host.before_s(Phase::Backward, false);
  EXPECT_EQ(host.before_s(Phase::Forward, false), 1.0);
}

TEST(Passes, UpdatesBetweenTheCallsOfABackwardPassBeginItOnce) {
  PassHost host = made_host();
  host.before_s(Phase::Forward, false);
  double total_s = 0.0;
  for (int layer = 0; layer < 3; ++layer) {
    total_s += host.before_s(Phase::Backward, false) + host.before_s(Phase::Optimizer, false);
  }
  EXPECT_EQ(total_s, 2.0 + 3.0);
}

TEST(Passes, OnePhaseAloneIsNoPassOfAStep) {
  const PassCosts costs{.begin_s = {1.0, 2.0, 3.0, 4.0}, .decoder_s = 0.5};
  EXPECT_EQ(costs_of(costs, Phase::Forward, Phase::Forward).begin_s[0], 0.0);
  EXPECT_EQ(costs_of(costs, Phase::Backward, Phase::Backward).begin_s[1], 0.0);
  EXPECT_EQ(costs_of(costs, Phase::Forward, Phase::Backward).begin_s[1], 2.0);
}

TEST(Passes, TransfersBeginNone) {
  PassHost host = made_host();
  host.before_s(Phase::Backward, false);
  EXPECT_EQ(host.before_s(Phase::Transfer, false), 0.0);
  EXPECT_EQ(host.before_s(Phase::Backward, false), 0.0);
}

TEST(Passes, ADecoderCostsWhereTheHostWaitsForIt) {
  PassHost host = made_host();
  host.before_s(Phase::Forward, false);
  EXPECT_EQ(host.before_s(Phase::Forward, true), 0.5);
}

}  // namespace
}  // namespace siliconprof
