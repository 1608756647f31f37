#include "siliconprof/ops/call.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

TEST(Phase, NamesAndParsingAreInverse) {
  for (const Phase phase : {Phase::Forward, Phase::Backward, Phase::Optimizer, Phase::Transfer}) {
    EXPECT_EQ(parse_phase(name(phase)), phase);
  }
}

TEST(Phase, RefusesAnUnknownName) { EXPECT_THROW(parse_phase("forwards"), UnknownNameError); }

}  // namespace
}  // namespace siliconprof
