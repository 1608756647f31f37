#include "siliconprof/kernels/cpu/silu_gate.h"

#include "siliconprof/kernels/cpu/in_place.h"
#include "siliconprof/kernels/cpu/llama_kernels.h"
#include "siliconprof/kernels/cpu/pieces.h"

namespace siliconprof::cpu {
namespace {

const char* in(const KernelCall& k, std::size_t i) { return k.inputs[i].as<const char>(); }
char* out(const KernelCall& k, std::size_t i) { return k.outputs[i].as<char>(); }
bool may_stream(const KernelCall& k) { return exceeds_cache(k) && !updates_an_input(k); }

}  // namespace

void run_silu_gate(const KernelCall& k) {
  const bool stream = may_stream(k);
  const std::int64_t size = size_bytes(k.call.dtype);
  const auto gate = llama_kernels().of(k.call.dtype).gate;
  run_in_pieces(k, k.call.dims[0], size, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t at = begin * size;
    gate(in(k, 0) + at, in(k, 1) + at, out(k, 0) + at, end - begin, stream);
  });
}

void run_silu_gate_backward(const KernelCall& k) {
  const bool stream = may_stream(k);
  const std::int64_t size = size_bytes(k.call.dtype);
  const auto backward = llama_kernels().of(k.call.dtype).gate_backward;
  run_in_pieces(k, k.call.dims[0], 2 * size, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t at = begin * size;
    backward(in(k, 0) + at, in(k, 1) + at, in(k, 2) + at, out(k, 0) + at, out(k, 1) + at,
             end - begin, stream);
  });
}

}  // namespace siliconprof::cpu
