#include "siliconprof/devices/device.h"

#include <gtest/gtest.h>

#include "devices/made_device.h"
#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

TEST(Device, ItsFamilyIsNearerThanItsVendor) {
  EXPECT_EQ(scopes(made_device()), (std::array<std::string, 3>{"apple-m2", "apple", "any"}));
}

TEST(Device, PeakKeysCarryUnitAndDtype) {
  EXPECT_EQ(peak_key("matrix", Dtype::BFloat16), "peak.matrix.bfloat16_flops_per_s");
}

TEST(Support, FollowsTheVendor) {
  Framework cuda = made_framework();
  EXPECT_NO_THROW(check_support(cuda, made_device()));
  cuda.vendors = {"nvidia"};
  try {
    check_support(cuda, made_device());
    FAIL() << "no error";
  } catch (const DeviceError& error) {
    EXPECT_EQ(std::string(error.what()),
              "[made-fw] doesn't run on made (vendor apple); needed: a device of nvidia");
  }
}

}  // namespace
}  // namespace siliconprof
