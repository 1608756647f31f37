#include "siliconprof/kernels/cpu/indices.h"

#include <algorithm>
#include <atomic>
#include <string>

#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/movement_kernels.h"
#include "siliconprof/kernels/cpu/pieces.h"

namespace siliconprof::cpu {
namespace {

[[noreturn]] void refuse(const KernelCall& k, std::size_t input, std::int64_t limit) {
  const auto* index = k.inputs[input].as<const std::int32_t>();
  const auto* end = index + k.inputs[input].elements();
  const auto* wrong =
      std::find_if(index, end, [limit](std::int32_t i) { return i < 0 || i >= limit; });
  throw ArgumentError("[" + std::string(k.call.op->name) + "] index " +
                      std::to_string(wrong - index) + " of input " + std::to_string(input) +
                      " is " + std::to_string(*wrong) + "; needed: 0 to " +
                      std::to_string(limit - 1));
}

}  // namespace

void check_indices(const KernelCall& k) {
  bool any = false;
  for (const TensorView& view : k.inputs) any = any || view.dtype == Dtype::Int32;
  if (!any) return;
  const MovementKernels& kernels = movement_kernels();
  const Signature signature = k.call.op->signature(k.call);
  for (std::size_t i = 0; i < k.inputs.size(); ++i) {
    if (k.inputs[i].dtype != Dtype::Int32) continue;
    const std::int64_t limit = signature.inputs[i].index_limit;
    const auto* index = k.inputs[i].as<const std::int32_t>();
    std::atomic<bool> right = true;
    run_in_pieces(k, k.inputs[i].elements(), 4, [&](std::int64_t begin, std::int64_t end) {
      // One comparison an index, as negative ones are large unsigned.
      if (kernels.largest_index(index + begin, end - begin) >= std::uint32_t(limit)) right = false;
    });
    if (!right) refuse(k, i, limit);
  }
}

}  // namespace siliconprof::cpu
