#include "siliconprof/workloads/passes/tf32.h"

#include <gtest/gtest.h>

#include "siliconprof/workloads/passes/differentiate.h"
#include "workloads/passes/tiny_models.h"

namespace siliconprof {
namespace {

TEST(Tf32, IsForProductsAloneAndChangesNoTensor) {
  const Trace plain = differentiate(tiny_gpt2(Dtype::Float32));
  const Trace trace = tf32(plain);
  for (const OpCall& call : trace.calls()) {
    const OpClass kind = call.op->op_class;
    const bool product = kind == OpClass::MatrixProduct || kind == OpClass::Attention;
    EXPECT_EQ(call.dtype, product ? Dtype::Tf32 : Dtype::Float32) << call.op->name;
  }
  EXPECT_EQ(trace.memory().peak_bytes(), plain.memory().peak_bytes());
  EXPECT_EQ(tf32(tiny_gpt2()).calls()[3].dtype, Dtype::Float64);
}

}  // namespace
}  // namespace siliconprof
