#include "siliconprof/kernels/cpu/element_functions.h"

#include "engine_agreement.h"
#include "function_agreement.h"
#include "siliconprof/kernels/cpu/caches.h"
#include "siliconprof/kernels/cpu/eigen_engine.h"
#include "siliconprof/kernels/cpu/reference_engine.h"

namespace siliconprof::cpu {
namespace {

const std::vector<std::pair<std::string, Activation>> kLoops{
    {"relu", &FunctionKernels::relu},           {"leaky_relu", &FunctionKernels::leaky_relu},
    {"selu", &FunctionKernels::selu},           {"sigmoid", &FunctionKernels::sigmoid},
    {"softplus", &FunctionKernels::softplus},   {"gelu_erf", &FunctionKernels::gelu_erf},
    {"gelu_tanh", &FunctionKernels::gelu_tanh}, {"silu", &FunctionKernels::silu}};

TEST(ElementFunctions, EveryBuildAgreesWithTheDefinitionWithinRounding) {
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

TEST(ElementFunctions, EveryDtypeOfAnEngineAgreesWithTheDefinition) {
  for (const Kernel& kernel : kFunctionKernels) {
    for (const Dtype dtype : kCpuDtypes) {
      for (const std::int64_t n : {1, 17, 1000, 40001}) {
        Example example(kernel.op, {n}, dtype, {}, std::uint64_t(n) + 11);
        spread(example);
        expect_function_agreement(example, run(kEigenEngine, example, 2).view());
      }
    }
  }
}

/// out = the loop's result, as a tensor of one element.
Tensor scalar(Dtype dtype, double value) {
  Tensor out(dtype, Shape{1});
  with_element_type(dtype, [&]<class T>() { *out.view().as<T>() = T(float(value)); });
  return out;
}

// Float64 is left to the engines' test: a scalar goes through float32 here.
TEST(ElementFunctions, EveryBuildSumsAndDifferentiatesALoss) {
  for (const VectorKernels* kernels : runnable_vector_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    for (const Dtype dtype : {Dtype::Float32, Dtype::BFloat16}) {
      for (const std::int64_t n : {1, 5, 33, 1000}) {
        const FunctionKernels& f = kernels->elements(dtype).functions;
        const auto example = [&](std::string_view op) {
          Example made(op, {n}, dtype, {}, std::uint64_t(n));
          spread(made);
          return made;
        };
        const auto data = [](const Example& e, std::size_t i) { return e.inputs[i].view().data; };
        const Example loss = example("bce");
        const double sum = f.bce(data(loss, 0), data(loss, 1), n);
        expect_function_agreement(loss, scalar(dtype, -sum / double(n)).view());
        const Example weight = example("prelu_weight_backward");
        const double dw = f.prelu_weight(data(weight, 0), data(weight, 1), n);
        expect_function_agreement(weight, scalar(dtype, dw).view());
        const Tensor out(dtype, Shape{n});
        const Example dp = example("bce_backward");
        double scale = to_values(dp.inputs[2].view())[0] / double(n);
        f.bce_backward(data(dp, 0), data(dp, 1), &scale, out.view().data, n, false);
        expect_function_agreement(dp, out.view());
        const Example dt = example("bce_target_backward");
        scale = to_values(dt.inputs[1].view())[0] / double(n);
        f.bce_target_backward(data(dt, 0), &scale, out.view().data, n, false);
        expect_function_agreement(dt, out.view());
      }
    }
  }
}

TEST(ElementFunctions, EnginesAgreeForAnyThreadCount) {
  for (const Kernel& kernel : kFunctionKernels) {
    Example example(kernel.op, {200001}, Dtype::Float32, {}, 7);
    spread(example);
    if (!is_sum(example.call)) {  // in float32 the definition's own sum drifts
      expect_function_agreement(example, run(kReferenceEngine, example, 1).view());
    }
    const Values one = to_values(run(kEigenEngine, example, 1).view());
    expect_function_agreement(example, run(kEigenEngine, example, 3).view());
    const Values three = to_values(run(kEigenEngine, example, 3).view());
    for (std::size_t i = 0; i < one.size(); ++i) {
      ASSERT_TRUE(one[i] == three[i] || std::isnan(one[i])) << kernel.op << " " << i;
    }
  }
}

TEST(ElementFunctions, ResultsPastTheCacheAreRightToTheLastElement) {
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
