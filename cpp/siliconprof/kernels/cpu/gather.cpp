#include "siliconprof/kernels/cpu/gather.h"

#include "siliconprof/kernels/cpu/indices.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/run_writer.h"

namespace siliconprof::cpu {
namespace {

/// Rows that fit in a register, too short to be worth a run.
template <class Row>
void gather_short(const KernelCall& k) {
  const Row* x = k.inputs[0].as<const Row>();
  const auto* index = k.inputs[1].as<const std::int32_t>();
  Row* y = k.outputs[0].as<Row>();
  run_in_pieces(k, k.call.dims[1], sizeof(Row), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) y[i] = x[index[i]];
  });
}

}  // namespace

void run_gather(const KernelCall& k) {
  check_indices(k);
  const std::int64_t row_bytes = k.call.dims[2] * size_bytes(k.call.dtype);
  if (row_bytes == 0) return;
  if (row_bytes == 2) return gather_short<std::uint16_t>(k);
  if (row_bytes == 4) return gather_short<std::uint32_t>(k);
  if (row_bytes == 8) return gather_short<std::uint64_t>(k);
  const bool stream = copy_exceeds_cache(k.outputs[0].bytes());
  const char* x = k.inputs[0].as<const char>();
  const auto* index = k.inputs[1].as<const std::int32_t>();
  if (row_bytes % 64 == 0) {
    const MovementKernels& kernels = movement_kernels();
    const auto gather = [&](std::int64_t begin, std::int64_t end) {
      kernels.gather_lines(x, index + begin, end - begin, row_bytes,
                           k.outputs[0].as<char>() + begin * row_bytes, stream);
      if (stream) kernels.fence();
    };
    // One thread where a second one would only wait to be started.
    const bool few = k.outputs[0].bytes() <= kMoveGrainBytes;
    const std::int64_t grain_bytes = few ? kMoveGrainBytes : kGrainBytes;
    return run_in_pieces(k, k.call.dims[1], row_bytes, gather, grain_bytes);
  }
  run_in_pieces(k, k.call.dims[1], row_bytes, [&](std::int64_t begin, std::int64_t end) {
    RunWriter writer(k.outputs[0].as<char>() + begin * row_bytes, stream);
    for (std::int64_t i = begin; i < end; ++i) writer.add(x + index[i] * row_bytes, row_bytes);
  });
}

}  // namespace siliconprof::cpu
