#pragma once

// An engine runs op calls on this CPU. It is a row of facts and a table of kernels; a new engine is
// one file that makes such a row, and one line in engines.cpp. A new op is a definition
// (kernels/reference) and a kernel that the fast engines share (shared_kernels.h).

#include <span>
#include <string>
#include <string_view>

#include "siliconprof/core/interrupt.h"
#include "siliconprof/core/tensor.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::cpu {

/// What a kernel works on. Views are contiguous, their shapes and dtypes are those that the op's
/// signature states (checked before); outputs overlap no input, but for the updatable ones (op.h),
/// which may be the same memory. Some may have no elements. What indices point at isn't checked.
struct KernelCall {
  const OpCall& call;
  std::span<const TensorView> inputs;
  std::span<const TensorView> outputs;
  int threads;
  const Poll&
      poll;  // called between pieces of at most about kPollPeriod_s; may throw; may be empty
  bool others_read_update = false;  // other calls of the trace read the first output, which is
                                    // kept from run to run, as is more than the cache holds
};

struct Kernel {
  std::string_view op;
  void (*run)(const KernelCall&);
};

struct EngineInfo {
  std::string name;
  bool available = true;
  std::string reason;         // why not, when unavailable
  std::string version;        // "0.3.21", "3.4.0"
  std::string kernel_family;  // "SkylakeX", "AVX512", "scalar"
  std::string library;        // file that was loaded, where there is one
  std::string threading;      // of all kernels: "openmp", "std", "none"
};

struct Engine {
  std::string_view name;
  std::string_view summary;
  EngineInfo (*info)();  // loads the library on first use
  std::span<const Kernel> kernels;
  /// How a dtype's products are made: "float32 accumulation after conversion", "sbgemm", "native".
  std::string (*product_path)(Dtype);
};

/// "reference", "eigen", "openblas".
std::span<const std::string_view> engine_names();
std::span<const Engine* const> all_engines();
/// Throws UnknownNameError.
const Engine& find_engine(std::string_view name);
/// Whether it has a kernel of the op, and the dtype is one of this CPU's.
bool supports(const Engine& engine, const Op& op, Dtype dtype);
/// The engine's kernel for the call. Throws EngineUnavailable when the engine can't run here,
/// DtypeError when it lacks the dtype (naming those that it has), ArgumentError when it lacks the
/// op.
const Kernel& find_kernel(const Engine& engine, const OpCall& call);

}  // namespace siliconprof::cpu
