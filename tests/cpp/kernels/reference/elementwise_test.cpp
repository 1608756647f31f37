#include "siliconprof/kernels/reference/elementwise.h"

#include <array>
#include <cstring>

#include "cost_proof.h"
#include "siliconprof/core/half.h"
#include "siliconprof/ops/add.h"
#include "siliconprof/ops/copy.h"
#include "siliconprof/ops/scale.h"
#include "siliconprof/ops/triad.h"

namespace siliconprof::reference {
namespace {

const auto kNoStep = [](std::int64_t) {};
const std::array<std::int64_t, 1> kThree{3};

TEST(ReferenceElementwise, CostIsWhatTheDefinitionTakes) {
  for (const std::int64_t n : {1, 2, 17}) {
    prove_op("copy", {{"n", n}}, {});
    prove_op("add", {{"n", n}}, {});
    prove_op("scale", {{"n", n}}, {{"alpha", -1.5}});
    prove_op("triad", {{"n", n}}, {{"alpha", 0.25}});
  }
}

TEST(ReferenceElementwise, AddsScalesAndCombinesByHand) {
  const std::array<double, 3> a{1, 2, 3};
  const std::array<double, 3> b{10, 20, -30};
  std::array<double, 3> c{};
  add<double>(make_call(kAdd, kThree, Dtype::Float64, {}), a.data(), b.data(), c.data(), kNoStep);
  EXPECT_EQ(c, (std::array<double, 3>{11, 22, -27}));
  scale<double>(make_call(kScale, kThree, Dtype::Float64, std::array{3.0}), a.data(), c.data(),
                kNoStep);
  EXPECT_EQ(c, (std::array<double, 3>{3, 6, 9}));
  triad<double>(make_call(kTriad, kThree, Dtype::Float64, std::array{0.5}), a.data(), b.data(),
                c.data(), kNoStep);
  EXPECT_EQ(c, (std::array<double, 3>{6, 12, -12}));
}

TEST(ReferenceElementwise, CopyKeepsEveryBitOfANan) {
  const std::array<std::uint16_t, 3> bits{0x7e01, 0xfc00, 0x0001};
  std::array<float16, 3> a{};
  std::memcpy(static_cast<void*>(a.data()), bits.data(), sizeof bits);
  std::array<float16, 3> b{};
  copy(make_call(kCopy, kThree, Dtype::Float16, {}), a.data(), b.data(), kNoStep);
  EXPECT_EQ(std::memcmp(a.data(), b.data(), sizeof bits), 0);
}

TEST(ReferenceElementwise, AHalfIsRoundedOnceAfterTheWholeTriad) {
  // 2048 + 0.5·2 = 2049 lies between the float16 neighbours 2048 and 2050: nearest even is 2048.
  // 2048 + 0.5·2.25 = 2049.125 is nearer to 2050.
  const std::array<float16, 3> a{float16(2048.0F), float16(2048.0F), float16(1.0F)};
  const std::array<float16, 3> b{float16(2.0F), float16(2.25F), float16(1.0F)};
  std::array<float16, 3> c{};
  triad<float>(make_call(kTriad, kThree, Dtype::Float16, std::array{0.5}), a.data(), b.data(),
               c.data(), kNoStep);
  EXPECT_EQ(float(c[0]), 2048.0F);
  EXPECT_EQ(float(c[1]), 2050.0F);
  EXPECT_EQ(float(c[2]), 1.5F);
}

}  // namespace
}  // namespace siliconprof::reference
