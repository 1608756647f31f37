#include "siliconprof/kernels/cpu/activations.h"

#include "engine_agreement.h"
#include "function_agreement.h"
#include "siliconprof/kernels/cpu/cpu_features.h"
#include "siliconprof/kernels/cpu/eigen_engine.h"
#include "siliconprof/kernels/cpu/reference_engine.h"

namespace siliconprof::cpu {
namespace {

const std::vector<std::pair<std::string, Activation>> kLoops{
    {"relu", &FunctionKernels::relu},           {"leaky_relu", &FunctionKernels::leaky_relu},
    {"selu", &FunctionKernels::selu},           {"sigmoid", &FunctionKernels::sigmoid},
    {"softplus", &FunctionKernels::softplus},   {"gelu_erf", &FunctionKernels::gelu_erf},
    {"gelu_tanh", &FunctionKernels::gelu_tanh}, {"silu", &FunctionKernels::silu}};

TEST(Activations, EveryBuildAgreesWithTheDefinitionWithinRounding) {
  for (const VectorKernels* kernels : runnable_vector_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    for (const Dtype dtype : kCpuDtypes) {
      for (const std::int64_t n : {1, 3, 16, 65, 1000, 5001}) {
        for (const auto& [op, activation] : kLoops) {
          const ActivationLoops& loops = kernels->elements(dtype).functions.*activation;
          const bool stream = n % 2 == 0;
          Example forward(op, {n}, dtype, {}, std::uint64_t(n));
          Example backward(op + "_backward", {n}, dtype, {}, std::uint64_t(n) + 5);
          spread(forward);
          spread(backward);
          const Tensor out(dtype, Shape{n});
          loops.forward(forward.inputs[0].view().data, forward.call.attributes.data(),
                        out.view().data, n, stream);
          expect_function_agreement(forward, out.view());
          loops.backward(backward.inputs[0].view().data, backward.inputs[1].view().data,
                         backward.call.attributes.data(), out.view().data, n, stream);
          expect_function_agreement(backward, out.view());
        }
      }
    }
  }
}

TEST(Activations, EnginesAgreeForAnyThreadCount) {
  for (const Kernel& kernel : kActivationKernels) {
    Example example(kernel.op, {200001}, Dtype::Float32, {}, 7);
    spread(example);
    expect_function_agreement(example, run(kReferenceEngine, example, 1).view());
    const Values one = to_values(run(kEigenEngine, example, 1).view());
    expect_function_agreement(example, run(kEigenEngine, example, 3).view());
    const Values three = to_values(run(kEigenEngine, example, 3).view());
    for (std::size_t i = 0; i < one.size(); ++i) {
      ASSERT_TRUE(one[i] == three[i] || std::isnan(one[i])) << kernel.op << " " << i;
    }
  }
}

TEST(Activations, ResultsPastTheCacheAreRightToTheLastElement) {
  const std::int64_t n = last_level_cache_bytes() / 8 + 12345;
  Example example("relu", {n}, Dtype::Float32, {}, 3);
  const Tensor y = run(kEigenEngine, example, 2);
  const auto* x = example.inputs[0].view().as<float>();
  for (std::int64_t i = 0; i < n; ++i) {
    ASSERT_EQ(y.view().as<float>()[i], x[i] > 0.0F ? x[i] : 0.0F) << i;
  }
}

}  // namespace
}  // namespace siliconprof::cpu
