#include "siliconprof/core/error.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 2> kValid{"mlx", "torch-mps"};

std::string message_for(std::string_view found) {
  try {
    throw_unknown_name("framework", "framework", found, kValid);
  } catch (const UnknownNameError& error) {
    return error.what();
  }
}

TEST(Error, UnknownNameSaysPlaceFoundNearestAndValid) {
  EXPECT_EQ(message_for("mlxx"),
            "[framework] unknown framework 'mlxx'; did you mean 'mlx'?; valid: mlx, torch-mps");
}

TEST(Error, UnknownNameSuggestsNothingWhenNothingIsClose) {
  EXPECT_EQ(message_for("zzzzzzz"),
            "[framework] unknown framework 'zzzzzzz'; valid: mlx, torch-mps");
}

TEST(Error, ALongNameIsCutBetweenCharacters) {
  const std::string cut = message_for(std::string(56, 'x') + "\u00e9" + std::string(99, 'x'));
  EXPECT_EQ(cut, "[framework] unknown framework '" + std::string(56, 'x') +
                     "...'; valid: mlx, torch-mps");
}

TEST(Error, EveryErrorIsCaughtByTheBase) {
  EXPECT_THROW(throw ShapeError("x"), Error);
  EXPECT_THROW(throw DeviceError("x"), Error);
  EXPECT_THROW(throw EngineUnavailable("x"), Error);
}

}  // namespace
}  // namespace siliconprof
