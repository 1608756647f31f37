#include "siliconprof/workloads/sizes.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

std::string message(auto&& act) {
  try {
    act();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ForwardConfig, ASizeOutOfBoundsIsNamedWithWhatWouldFit) {
  const ForwardConfig config{"m", {{"seq", 9}, {"batch", 0}}};
  EXPECT_EQ(config.at("seq"), 9);
  EXPECT_EQ(config.at("seq", 1, 9, "x"), 9);
  EXPECT_EQ(message([&] { config.at("seq", 1, 8, "the context"); }),
            "[m] seq is 9; needed: at most 8 (the context)");
  EXPECT_EQ(message([&] { config.at("batch", 1, 8, ""); }), "[m] batch is 0; needed: at least 1");
}

TEST(ForwardConfig, ADivisorIsSuggested) {
  const ForwardConfig config{"m", {{"width", 12}, {"heads", 5}, {"none", 0}, {"many", 13}}};
  EXPECT_EQ(message([&] { config.check_divides("heads", "width"); }),
            "[m] heads is 5; needed: a divisor of width 12, as 4");
  EXPECT_EQ(message([&] { config.check_divides("none", "width"); }),
            "[m] none is 0; needed: a divisor of width 12, as 1");
  EXPECT_EQ(message([&] { config.check_divides("many", "width"); }),
            "[m] many is 13; needed: a divisor of width 12, as 12");
  config.check_divides("width", "width");
}

}  // namespace
}  // namespace siliconprof
