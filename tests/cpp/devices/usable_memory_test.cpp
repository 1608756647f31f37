#include "siliconprof/devices/usable_memory.h"

#include <gtest/gtest.h>

#include "devices/made_device.h"
#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

Device made_board() {
  Device device = made_device();
  device.vendor = "nvidia";
  device.numbers["memory.capacity_bytes"] = made_number(16e9);
  return device;
}

Framework with_context(double bytes) {
  Framework framework = made_framework();
  framework.numbers["memory.nvidia.context_bytes"] = made_number(bytes, 0.2);
  return framework;
}

TEST(UsableMemory, IsAllOfItWhereNothingIsSaidOfAnyPart) {
  const Device board = made_board();
  EXPECT_EQ(usable_memory(board, made_framework()), board.numbers.at("memory.capacity_bytes"));
}

TEST(UsableMemory, OfAUnifiedOneIsTheWorkingSet) {
  Device unified = made_device();
  unified.numbers["memory.capacity_bytes"] = made_number(16e9);
  unified.numbers["memory.working_set_limit_bytes"] = made_number(10e9, 0.15);
  // The context is an NVIDIA board's.
  EXPECT_EQ(usable_memory(unified, with_context(0.5e9)),
            unified.numbers.at("memory.working_set_limit_bytes"));
}

TEST(UsableMemory, IsWhatErrorCorrectionDriverAndContextLeave) {
  Device board = made_board();
  board.numbers["memory.usable_part"] = made_number(0.9, 0.01);
  EXPECT_DOUBLE_EQ(usable_memory(board, made_framework()).value, 14.4e9);
  const Number left = usable_memory(board, with_context(0.4e9));
  EXPECT_DOUBLE_EQ(left.value, 14e9);
  // 144 MB of the part and 80 MB of the context, of 14 GB.
  EXPECT_NEAR(left.relative_error, 164.73e6 / 14e9, 1e-6);
  board.numbers.erase("memory.usable_part");
  EXPECT_DOUBLE_EQ(usable_memory(board, with_context(0.4e9)).value, 15.6e9);
}

TEST(UsableMemory, IsNothingWhereTheContextTakesAllOfIt) {
  EXPECT_EQ(usable_memory(made_board(), with_context(17e9)).value, 0.0);
}

TEST(UsableMemory, OfADeviceWithoutACapacityIsAnError) {
  Device device = made_board();
  device.numbers.erase("memory.capacity_bytes");
  EXPECT_THROW(usable_memory(device, made_framework()), DeviceError);
}

}  // namespace
}  // namespace siliconprof
