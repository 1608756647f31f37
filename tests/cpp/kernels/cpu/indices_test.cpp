#include "siliconprof/kernels/cpu/indices.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "siliconprof/core/error.h"

namespace siliconprof::cpu {
namespace {

Signature signature(const OpCall& call) { return {{indices({call.dims[0]}, 10)}, {}}; }

const Op kPick{.name = "pick",
               .summary = "",
               .op_class = OpClass::Indexed,
               .dim_names = {},
               .attributes = {},
               .signature = signature,
               .cost = nullptr,
               .vjp = nullptr};

std::string check(std::vector<std::int32_t> index) {
  OpCall call;
  call.op = &kPick;
  call.dims[0] = std::int64_t(index.size());
  const std::array inputs{TensorView{index.data(), Dtype::Int32, {call.dims[0]}}};
  try {
    check_indices({call, inputs, {}, 2, {}});
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "";
}

TEST(Indices, InRangeOrNonePass) {
  EXPECT_EQ(check({0, 9, 5}), "");
  EXPECT_EQ(check({}), "");
}

TEST(Indices, TheFirstOutOfRangeIsNamed) {
  EXPECT_EQ(check({0, 10, 11}), "[pick] index 1 of input 0 is 10; needed: 0 to 9");
  EXPECT_EQ(check({3, 4, -1}), "[pick] index 2 of input 0 is -1; needed: 0 to 9");
}

}  // namespace
}  // namespace siliconprof::cpu
