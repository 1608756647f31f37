#include "siliconprof/devices/offload_time.h"

#include <gtest/gtest.h>

#include "devices/made_device.h"
#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

OffloadUnit made() {
  return offload_unit(made_offloading_device(), made_offloading_framework()).value();
}

TEST(OffloadTime, APinnedTransferIsItsStartAndItsBytesOverTheLink) {
  const LinkUnit link = made().link.value();
  EXPECT_DOUBLE_EQ(transfer_s(link, {Place::ToHost}, 5e6), 1e-6 + 5e6 / 5e9);
  EXPECT_DOUBLE_EQ(transfer_s(link, {Place::ToDevice}, 5e6), 1e-6 + 5e6 / 5e9);
}

TEST(OffloadTime, APageableTransferGoesThroughBuffersAtARateOfItsWay) {
  const LinkUnit link = made().link.value();
  EXPECT_DOUBLE_EQ(transfer_s(link, {Place::ToHost, true}, 2e6), 1e-5 + 1e-3);
  EXPECT_DOUBLE_EQ(transfer_s(link, {Place::ToDevice, true}, 2e6), 1e-5 + 2e-3);
}

TEST(OffloadTime, PageableMemoryIsNoFasterThanTheLink) {
  Device device = made_offloading_device();
  device.numbers["link.bandwidth_bytes_per_s"].value = 1e9;
  const LinkUnit link = offload_unit(device, made_offloading_framework())->link.value();
  EXPECT_DOUBLE_EQ(transfer_s(link, {Place::ToHost, true}, 5e6), 1e-5 + 1e-2);
}

TEST(OffloadTime, IssuingCostsMoreFromAHookAndBetweenUpdates) {
  const LinkUnit link = made().link.value();
  EXPECT_DOUBLE_EQ(issue_s(link, {Place::ToHost, false, false}), 1e-6);
  EXPECT_DOUBLE_EQ(issue_s(link, {Place::ToHost, false, true}), 3e-6);
  EXPECT_DOUBLE_EQ(issue_s(link, {Place::ToDevice, false, true}), 2e-6);
}

// AdamW of a million parameters in float32: 28 MB at 10 GB/s; its 14 MFLOP take 14 us.
TEST(OffloadTime, AnUpdateIsBoundByTheHostsMemory) {
  const Cost cost{
      .vector_flops = 14'000'000, .bytes_read = 16'000'000, .bytes_written = 12'000'000};
  EXPECT_DOUBLE_EQ(update_s(made().host, cost), 2e-6 + 2.8e-3);
}

TEST(OffloadTime, OrByItsArithmetic) {
  HostUnit host = made().host;
  host.flops_per_s = 1e9;
  EXPECT_DOUBLE_EQ(update_s(host, {.vector_flops = 14'000'000, .bytes_read = 1000}), 2e-6 + 0.014);
}

TEST(OffloadTime, ErrorsAreThoseOfBothNumbers) {
  EXPECT_DOUBLE_EQ(made().host.relative_error, 0.1);
  EXPECT_TRUE(made().is_assumed);
}

TEST(OffloadTime, UnifiedMemoryHasNoLinkAndItsHostSharesItsBandwidth) {
  Device device = made_device();
  device.numbers["host.vector_flops_per_s"] = made_number(1e12);
  const OffloadUnit unit = offload_unit(device, made_offloading_framework()).value();
  EXPECT_FALSE(unit.link);
  EXPECT_DOUBLE_EQ(unit.host.bytes_per_s, 5e10);
}

// What may be off is the machine's own bandwidth, whatever its kind: nothing beside it is unknown.
TEST(OffloadTime, AHostThatIsTheMachineItselfIsNotAssumed) {
  Device device = made_offloading_device();
  device.vendor = "apple";
  device.numbers.erase("host.memory_bandwidth_bytes_per_s");
  device.numbers["memory.bandwidth_bytes_per_s"].relative_error = 0.1;
  EXPECT_FALSE(offload_unit(device, made_offloading_framework()).value().is_assumed);
}

TEST(OffloadTime, NothingIsSaidOfAnUnknownHost) {
  Device device = made_offloading_device();
  device.numbers.erase("host.memory_bandwidth_bytes_per_s");
  EXPECT_FALSE(offload_unit(device, made_offloading_framework()));
  EXPECT_FALSE(offload_unit(made_offloading_device(), made_framework()));
}

TEST(OffloadTime, SomeConstantsWithoutTheOthersAreRefused) {
  for (const std::string missing : {"send_s", "update_part"}) {
    Framework framework = made_offloading_framework();
    framework.numbers.erase("offload." + missing);
    try {
      offload_unit(made_offloading_device(), framework);
      FAIL() << "no error";
    } catch (const DeviceError& error) {
      EXPECT_EQ(std::string(error.what()),
                "[made-fw] offload.<scope>." + missing +
                    " is missing; needed: every constant beside the others");
    }
  }
}

}  // namespace
}  // namespace siliconprof
