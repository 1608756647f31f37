#include "siliconprof/kernels/cpu/reference_engine.h"

#include <array>
#include <utility>

#include "siliconprof/kernels/cpu/element_type.h"
#include "siliconprof/kernels/cpu/indices.h"
#include "siliconprof/kernels/reference/definitions.h"

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
struct MemoryOperands {
  using Acc = Accumulator<T>;
  const KernelCall& k;
  PolledSteps step;

  const T* in(std::size_t i) const { return in_as<T>(i); }
  T* out(std::size_t i) const { return out_as<T>(i); }
  template <class U>
  const U* in_as(std::size_t i) const {
    return k.inputs[i].template as<const U>();
  }
  template <class U>
  U* out_as(std::size_t i) const {
    return k.outputs[i].template as<U>();
  }
};

constexpr std::size_t kCount = reference::kDefinitions<MemoryOperands<float>>.size();

template <std::size_t I>
void run(const KernelCall& k) {
  check_indices(k);
  with_element_type(k.call.dtype, [&]<class T>() {
    MemoryOperands<T> operands{k, PolledSteps(k.poll)};
    reference::kDefinitions<MemoryOperands<T>>[I].run(k.call, operands);
  });
}

constexpr auto kKernels = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array<Kernel, kCount>{
      {{reference::kDefinitions<MemoryOperands<float>>[I].op, run<I>}...}};
}
(std::make_index_sequence<kCount>());

EngineInfo info() {
  return {.name = "reference",
          .reason = "",
          .version = "",
          .kernel_family = "scalar",
          .library = "",
          .threading = "none"};
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
    .product_path = product_path,
};

}  // namespace siliconprof::cpu
