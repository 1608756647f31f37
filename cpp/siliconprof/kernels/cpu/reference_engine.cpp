#include "siliconprof/kernels/cpu/reference_engine.h"

#include <array>

#include "siliconprof/kernels/cpu/element_type.h"
#include "siliconprof/kernels/reference/activations.h"
#include "siliconprof/kernels/reference/bce.h"
#include "siliconprof/kernels/reference/broadcast.h"
#include "siliconprof/kernels/reference/elementwise.h"
#include "siliconprof/kernels/reference/matmul.h"
#include "siliconprof/kernels/reference/matvec.h"
#include "siliconprof/kernels/reference/outer.h"
#include "siliconprof/kernels/reference/prelu.h"
#include "siliconprof/kernels/reference/softmax.h"
#include "siliconprof/kernels/reference/sum.h"

namespace siliconprof::cpu {
namespace {

// Some 20 ms of work: the definition's loops make at least 10^8 steps a second.
constexpr std::int64_t kStepsBetweenPolls = std::int64_t{1} << 21;

class PolledSteps {
 public:
  explicit PolledSteps(const Poll& poll) : poll_(poll) {}
  void operator()(std::int64_t steps) const {
    done_ += steps;
    if (done_ < kStepsBetweenPolls) return;
    done_ = 0;
    if (poll_) poll_();
  }

 private:
  const Poll& poll_;
  mutable std::int64_t done_ = 0;
};

template <class T>
const T* input(const KernelCall& call, std::size_t i) {
  return call.inputs[i].as<const T>();
}

template <class T>
T* output(const KernelCall& call) {
  return call.outputs[0].as<T>();
}

void run_matmul(const KernelCall& k) {
  with_element_type(k.call.dtype, [&]<class T>() {
    reference::matmul<Accumulator<T>>(k.call, input<T>(k, 0), input<T>(k, 1), output<T>(k),
                                      PolledSteps(k.poll));
  });
}

void run_matvec(const KernelCall& k) {
  with_element_type(k.call.dtype, [&]<class T>() {
    reference::matvec<Accumulator<T>>(k.call, input<T>(k, 0), input<T>(k, 1), output<T>(k),
                                      PolledSteps(k.poll));
  });
}

void run_outer(const KernelCall& k) {
  with_element_type(k.call.dtype, [&]<class T>() {
    reference::outer<Accumulator<T>>(k.call, input<T>(k, 0), input<T>(k, 1), output<T>(k),
                                     PolledSteps(k.poll));
  });
}

void run_copy(const KernelCall& k) {
  with_element_type(k.call.dtype, [&]<class T>() {
    reference::copy(k.call, input<T>(k, 0), output<T>(k), PolledSteps(k.poll));
  });
}

void run_add(const KernelCall& k) {
  with_element_type(k.call.dtype, [&]<class T>() {
    reference::add<Accumulator<T>>(k.call, input<T>(k, 0), input<T>(k, 1), output<T>(k),
                                   PolledSteps(k.poll));
  });
}

void run_scale(const KernelCall& k) {
  with_element_type(k.call.dtype, [&]<class T>() {
    reference::scale<Accumulator<T>>(k.call, input<T>(k, 0), output<T>(k), PolledSteps(k.poll));
  });
}

void run_triad(const KernelCall& k) {
  with_element_type(k.call.dtype, [&]<class T>() {
    reference::triad<Accumulator<T>>(k.call, input<T>(k, 0), input<T>(k, 1), output<T>(k),
                                     PolledSteps(k.poll));
  });
}

void run_sum(const KernelCall& k) {
  with_element_type(k.call.dtype, [&]<class T>() {
    reference::sum<Accumulator<T>>(k.call, input<T>(k, 0), output<T>(k), PolledSteps(k.poll));
  });
}

void run_broadcast(const KernelCall& k) {
  with_element_type(k.call.dtype, [&]<class T>() {
    reference::broadcast(k.call, input<T>(k, 0), output<T>(k), PolledSteps(k.poll));
  });
}

void run_softmax(const KernelCall& k) {
  with_element_type(k.call.dtype, [&]<class T>() {
    reference::softmax<Accumulator<T>>(k.call, input<T>(k, 0), output<T>(k), PolledSteps(k.poll));
  });
}

void run_softmax_backward(const KernelCall& k) {
  with_element_type(k.call.dtype, [&]<class T>() {
    reference::softmax_backward<Accumulator<T>>(k.call, input<T>(k, 0), input<T>(k, 1),
                                                output<T>(k), PolledSteps(k.poll));
  });
}

template <template <class> class Function>
void run_activation(const KernelCall& k) {
  with_element_type(k.call.dtype, [&]<class T>() {
    reference::activation<Accumulator<T>, Function>(k.call, input<T>(k, 0), output<T>(k),
                                                    PolledSteps(k.poll));
  });
}

template <template <class> class Function>
void run_activation_backward(const KernelCall& k) {
  with_element_type(k.call.dtype, [&]<class T>() {
    reference::activation_backward<Accumulator<T>, Function>(k.call, input<T>(k, 0), input<T>(k, 1),
                                                             output<T>(k), PolledSteps(k.poll));
  });
}

void run_prelu(const KernelCall& k) {
  with_element_type(k.call.dtype, [&]<class T>() {
    reference::prelu<Accumulator<T>>(k.call, input<T>(k, 0), input<T>(k, 1), output<T>(k),
                                     PolledSteps(k.poll));
  });
}

void run_prelu_backward(const KernelCall& k) {
  with_element_type(k.call.dtype, [&]<class T>() {
    reference::prelu_backward<Accumulator<T>>(k.call, input<T>(k, 0), input<T>(k, 1),
                                              input<T>(k, 2), output<T>(k), PolledSteps(k.poll));
  });
}

void run_prelu_weight_backward(const KernelCall& k) {
  with_element_type(k.call.dtype, [&]<class T>() {
    reference::prelu_weight_backward<Accumulator<T>>(k.call, input<T>(k, 0), input<T>(k, 1),
                                                     output<T>(k), PolledSteps(k.poll));
  });
}

void run_bce(const KernelCall& k) {
  with_element_type(k.call.dtype, [&]<class T>() {
    reference::bce<Accumulator<T>>(k.call, input<T>(k, 0), input<T>(k, 1), output<T>(k),
                                   PolledSteps(k.poll));
  });
}

void run_bce_backward(const KernelCall& k) {
  with_element_type(k.call.dtype, [&]<class T>() {
    reference::bce_backward<Accumulator<T>>(k.call, input<T>(k, 0), input<T>(k, 1), input<T>(k, 2),
                                            output<T>(k), PolledSteps(k.poll));
  });
}

void run_bce_target_backward(const KernelCall& k) {
  with_element_type(k.call.dtype, [&]<class T>() {
    reference::bce_target_backward<Accumulator<T>>(k.call, input<T>(k, 0), input<T>(k, 1),
                                                   output<T>(k), PolledSteps(k.poll));
  });
}

constexpr std::array<Kernel, 11> kBaseKernels{{{"matmul", run_matmul},
                                               {"matvec", run_matvec},
                                               {"outer", run_outer},
                                               {"copy", run_copy},
                                               {"add", run_add},
                                               {"scale", run_scale},
                                               {"triad", run_triad},
                                               {"sum", run_sum},
                                               {"broadcast", run_broadcast},
                                               {"softmax", run_softmax},
                                               {"softmax_backward", run_softmax_backward}}};
constexpr std::array<Kernel, 22> kFunctionKernels{{
    {"relu", run_activation<reference::Relu>},
    {"relu_backward", run_activation_backward<reference::Relu>},
    {"leaky_relu", run_activation<reference::LeakyRelu>},
    {"leaky_relu_backward", run_activation_backward<reference::LeakyRelu>},
    {"selu", run_activation<reference::Selu>},
    {"selu_backward", run_activation_backward<reference::Selu>},
    {"sigmoid", run_activation<reference::Sigmoid>},
    {"sigmoid_backward", run_activation_backward<reference::Sigmoid>},
    {"softplus", run_activation<reference::Softplus>},
    {"softplus_backward", run_activation_backward<reference::Softplus>},
    {"gelu_erf", run_activation<reference::GeluErf>},
    {"gelu_erf_backward", run_activation_backward<reference::GeluErf>},
    {"gelu_tanh", run_activation<reference::GeluTanh>},
    {"gelu_tanh_backward", run_activation_backward<reference::GeluTanh>},
    {"silu", run_activation<reference::Silu>},
    {"silu_backward", run_activation_backward<reference::Silu>},
    {"prelu", run_prelu},
    {"prelu_backward", run_prelu_backward},
    {"prelu_weight_backward", run_prelu_weight_backward},
    {"bce", run_bce},
    {"bce_backward", run_bce_backward},
    {"bce_target_backward", run_bce_target_backward},
}};
constexpr auto kKernels = joined(kBaseKernels, kFunctionKernels);

EngineInfo info() {
  return {.name = "reference",
          .reason = "",
          .version = "",
          .kernel_family = "scalar",
          .library = "",
          .threading = "none"};
}

bool supports(const Op& op, Dtype dtype) {
  for (const Kernel& kernel : kKernels) {
    if (kernel.op == op.name) return is_cpu_dtype(dtype);
  }
  return false;
}

std::string product_path(Dtype dtype) {
  return size_bytes(dtype) == 2 ? "scalar, float32 accumulation" : "scalar";
}

}  // namespace

constinit const Engine kReferenceEngine{
    .name = "reference",
    .summary = "every op by its definition, one thread; the yardstick of correctness",
    .info = info,
    .kernels = kKernels,
    .supports = supports,
    .product_path = product_path,
};

}  // namespace siliconprof::cpu
