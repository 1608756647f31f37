#include "siliconprof/ops/trace.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/copy.h"
#include "siliconprof/ops/matvec.h"

namespace siliconprof {
namespace {

using Dims = std::vector<std::int64_t>;

// y = A·x with A (3, 2).
struct Fixture {
  Trace trace{"t"};
  TensorId a = trace.add_tensor({"A", {3, 2}, Dtype::Float32, Role::Parameter});
  TensorId x = trace.add_tensor({"x", {2}, Dtype::Float32, Role::Input});
  TensorId y = trace.add_tensor({"y", {3}, Dtype::Float32, Role::Activation});
  OpCall call = make_call(kMatvec, Dims{3, 2}, Dtype::Float32, {});

  Fixture() {
    call.inputs[0] = a;
    call.inputs[1] = x;
    call.outputs[0] = y;
  }
};

TEST(Trace, SumsTheCostOfItsCalls) {
  Fixture f;
  f.trace.append(f.call);
  f.trace.append(f.call);
  EXPECT_EQ(f.trace.cost().matrix_flops, 2 * 12);
  EXPECT_EQ(f.trace.cost().bytes_read, 2 * (6 + 2) * 4);
  EXPECT_EQ(f.trace.parameters(), 6);
}

TEST(Trace, RefusesShapesThatDontChain) {
  Fixture f;
  f.call.inputs[1] = f.y;
  try {
    f.trace.append(f.call);
    FAIL() << "no error";
  } catch (const ShapeError& error) {
    EXPECT_EQ(std::string(error.what()), "[matvec] input 1 'y' has shape (3); needed: (2)");
  }
  EXPECT_TRUE(f.trace.calls().empty());
}

TEST(Trace, RefusesMixedDtypes) {
  Fixture f;
  f.call.inputs[1] = f.trace.add_tensor({"h", {2}, Dtype::Float16, Role::Input});
  EXPECT_THROW(f.trace.append(f.call), DtypeError);
}

TEST(Trace, RefusesIdsThatArentThere) {
  Fixture f;
  f.call.outputs[0] = 99;
  EXPECT_THROW(f.trace.append(f.call), ShapeError);
  f.call.outputs[0] = kNoTensor;
  EXPECT_THROW(f.trace.append(f.call), ShapeError);
}

TEST(Trace, RemembersPeakMemoryUntilItGrows) {
  Fixture f;
  f.trace.append(f.call);
  EXPECT_EQ(f.trace.memory().peak_bytes(), (6 + 2 + 3) * 4);
  OpCall copy = make_call(kCopy, Dims{3}, Dtype::Float32, {});
  copy.inputs[0] = f.y;
  copy.outputs[0] = f.trace.add_tensor({"z", {3}, Dtype::Float32, Role::Activation});
  f.trace.append(copy);
  EXPECT_EQ(f.trace.memory().peak_bytes(), (6 + 2 + 3 + 3) * 4);
}

}  // namespace
}  // namespace siliconprof
