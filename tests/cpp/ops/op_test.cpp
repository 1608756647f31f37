#include "siliconprof/ops/op.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/matmul.h"
#include "siliconprof/ops/scale.h"

namespace siliconprof {
namespace {

using Dims = std::vector<std::int64_t>;

TEST(MakeCall, FillsDimsAndDefaultAttributes) {
  const OpCall call = make_call(kMatmul, Dims{8, 2, 3, 4}, Dtype::Float16, {});
  EXPECT_EQ(call.op, &kMatmul);
  EXPECT_EQ(call.dims[3], 4);
  EXPECT_EQ(call.attributes[0], 0.0);
  EXPECT_EQ(to_string(call), "matmul batch=8 m=2 k=3 n=4 float16");
}

TEST(MakeCall, RefusesNegativeSizesByName) {
  for (const std::int64_t bad : {-1L, -5L}) {
    try {
      make_call(kMatmul, Dims{1, 2, bad, 4}, Dtype::Float32, {});
      FAIL() << "no error";
    } catch (const ShapeError& error) {
      EXPECT_NE(std::string(error.what()).find("[matmul] k is " + std::to_string(bad)),
                std::string::npos);
    }
  }
}

TEST(MakeCall, RefusesAWrongCountOfDims) {
  EXPECT_THROW(make_call(kMatmul, Dims{2, 3, 4}, Dtype::Float32, {}), ShapeError);
}

TEST(MakeCall, RefusesSizesWhoseProductOverflows) {
  EXPECT_THROW(make_call(kMatmul, Dims{1, 1L << 21, 1L << 21, 1L << 21}, Dtype::Float32, {}),
               ShapeError);
}

TEST(MakeCall, RefusesAnAttributeThatIsNoNumber) {
  const std::array<double, 1> nan{std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(make_call(kScale, Dims{4}, Dtype::Float32, nan), ArgumentError);
}

TEST(OpClass, HasNames) {
  EXPECT_EQ(name(OpClass::MatrixProduct), "matrix_product");
  EXPECT_EQ(name(OpClass::Elementwise), "elementwise");
}

}  // namespace
}  // namespace siliconprof
