#include "siliconprof/devices/number.h"

#include <gtest/gtest.h>

#include <cmath>

#include "devices/made_device.h"
#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

TEST(Number, KindsAreReadByName) {
  for (const auto kind :
       {NumberKind::Spec, NumberKind::Measured, NumberKind::Fitted, NumberKind::Assumed}) {
    EXPECT_EQ(parse_number_kind(name(kind)), kind);
  }
  EXPECT_THROW(parse_number_kind("datasheet"), UnknownNameError);
}

TEST(FindNumber, TakesTheFirstKeyThatIsThere) {
  const Numbers numbers{{"b", made_number(2.0)}, {"c", made_number(3.0)}};
  EXPECT_EQ(find_number(numbers, "x", {"a", "b", "c"}).value, 2.0);
}

TEST(FindNumber, NamesOwnerKeysAndTheNearest) {
  const Numbers numbers{{"memory.bandwidth_bytes_per_s", made_number(1.0)}};
  try {
    find_number(numbers, "m2", {"memory.bandwith_bytes_per_s"});
    FAIL() << "no error";
  } catch (const DeviceError& error) {
    EXPECT_EQ(std::string(error.what()),
              "[m2] has no number 'memory.bandwith_bytes_per_s'; nearest: "
              "'memory.bandwidth_bytes_per_s'");
  }
}

TEST(CheckNumbers, RefusesWhatIsNotFiniteAndPositive) {
  for (const double wrong : {0.0, -1.0, std::nan(""), double{INFINITY}}) {
    EXPECT_THROW(check({{"k", made_number(wrong)}}, "x"), DeviceError) << wrong;
  }
  EXPECT_THROW(check({{"k", made_number(1.0, 1.0)}}, "x"), DeviceError);
  EXPECT_THROW(check({{"k", made_number(1.0, std::nan(""))}}, "x"), DeviceError);
  EXPECT_NO_THROW(check({{"k", made_number(1.0, 0.5)}}, "x"));
}

}  // namespace
}  // namespace siliconprof
