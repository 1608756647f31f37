#include "siliconprof/ops/op.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/matmul.h"
#include "siliconprof/ops/scale.h"
#include "siliconprof/ops/table.h"

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

TEST(MakeCall, RefusesAnAttributeThatItsOpCannotHave) {
  struct Case {
    const char* op;
    const char* attribute;
    double value;
    const char* message;
  };
  for (const Case& c : {
           Case{"adamw", "learning_rate", -1, "learning_rate is -1; needed: at least 0"},
           Case{"adamw", "beta1", 1, "beta1 is 1; needed: at least 0 and below 1"},
           Case{"adamw", "step", 1.5, "step is 1.5; needed: a whole number from 1 on"},
           Case{"sgd", "momentum", -0.5, "momentum is -0.5; needed: at least 0"},
           Case{"dropout", "rate", 1.5, "rate is 1.5; needed: from 0 to 1"},
           Case{"softplus", "beta", 0, "beta is 0; needed: other than 0"},
           Case{"rotary", "base", 0.5, "base is 0.5; needed: at least 1"},
           Case{"nt_xent", "temperature", 0, "temperature is 0; needed: above 0"},
           Case{"log_mel", "fft", 3, "fft is 3; needed: an even number from 2 to 1e9"},
       }) {
    const Op& op = find_op(c.op);
    std::vector<double> values;
    for (const AttributeInfo& each : op.attributes) {
      values.push_back(each.name == c.attribute ? c.value : each.default_value);
    }
    try {
      make_call(op, Dims(op.dim_names.size(), 2), Dtype::Float32, values);
      FAIL() << c.op << ' ' << c.attribute;
    } catch (const ArgumentError& error) {
      EXPECT_EQ(std::string(error.what()), "[" + std::string(c.op) + "] " + c.message);
    }
  }
}

TEST(CostOf, CountsNoTrafficOfWhatStaysInsideAKernel) {
  OpCall call = make_call(find_op("add"), std::array<std::int64_t, 1>{8}, Dtype::Float32, {});
  EXPECT_EQ(cost_of(call), call.op->cost(call));
  call.inside = 1U << 1;  // its second operand
  EXPECT_EQ(cost_of(call).bytes_read, 32);
  EXPECT_EQ(cost_of(call).bytes_written, 32);
  call.inside = 1U | 1U << 1 | 1U << kMaxInputs;
  EXPECT_EQ(cost_of(call).bytes(), 0);
  EXPECT_EQ(cost_of(call).vector_flops, 8);
}

TEST(CostOf, OfATableWhoseRowsAreReadIsNeverBelowNothing) {
  OpCall call =
      make_call(find_op("embedding"), std::array<std::int64_t, 3>{100, 2, 4}, Dtype::Float32, {});
  call.inside = 1U;
  EXPECT_EQ(cost_of(call).bytes_read, 0);
  EXPECT_EQ(cost_of(call).bytes_written, 32);
}

TEST(OpClass, HasNames) {
  EXPECT_EQ(name(OpClass::MatrixProduct), "matrix_product");
  EXPECT_EQ(name(OpClass::Elementwise), "elementwise");
}

}  // namespace
}  // namespace siliconprof
