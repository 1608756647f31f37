#include "siliconprof/kernels/cpu/log_mel.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/half_conversion.h"
#include "siliconprof/kernels/cpu/log_mel_shared.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/scratch.h"

namespace siliconprof::cpu {
namespace {

double largest_or_nan(const double* begin, const double* end) {
  double largest = *begin;
  for (const double* at = begin; at != end; ++at) {
    if (std::isnan(*at)) return *at;
    largest = std::max(largest, *at);
  }
  return largest;
}

/// T is what the loops compute in; `logs` holds all results, and may be y itself.
template <class T>
void run(const KernelCall& k, const LogMelKernels& kernels, const T* filters, T* logs) {
  static thread_local Scratch memory;
  const LogMelSizes s = log_mel_sizes(k.call);
  const LogMelShared<T> shared(s, filters);
  const LogMelTables tables = shared.tables();
  const std::int64_t element = size_bytes(k.call.dtype);
  const std::int64_t blocks = log_mel_blocks_of_item(s);
  const std::int64_t tasks = s.batch * blocks;
  const std::int64_t room = rounded_up(log_mel_scratch(s), 16) * std::int64_t(sizeof(T) / 4);
  float* rooms = memory.floats(k.threads * room);
  std::vector<double> largest(std::size_t(tasks), 0.0);

  share_log_mel_blocks(k, tasks, 1, [&](std::int64_t task, int thread) {
    const auto [b, begin, end] = log_mel_block(s, task);
    largest[std::size_t(task)] =
        kernels.logs(s, tables, k.inputs[0].as<const char>() + b * s.samples * element, begin, end,
                     logs + b * s.mels * s.frames(), rooms + thread * room);
  });
  for (std::int64_t b = 0; b < s.batch; ++b) {
    const double most =
        largest_or_nan(largest.data() + b * blocks, largest.data() + (b + 1) * blocks);
    const std::int64_t first = b * s.mels * s.frames();
    run_in_pieces(k, s.mels * s.frames(), element, [&](std::int64_t begin, std::int64_t end) {
      // A NaN spoils its item.
      if (std::isnan(most))
        std::fill(logs + first + begin, logs + first + end, static_cast<T>(most));
      kernels.finish(logs + first + begin, most - 8,
                     k.outputs[0].as<char>() + (first + begin) * element, end - begin);
    });
  }
}

void run_halves(const KernelCall& k, const LogMelKernels& kernels) {
  static thread_local Scratch wide_filters;
  static thread_local Scratch logs;
  const TensorView& filters = k.inputs[1];
  float* wide = wide_filters.floats(filters.elements());
  widen(k.call.dtype, filters.data, wide, filters.elements(), k.threads);
  run<float>(k, kernels, wide, logs.floats(k.outputs[0].elements()));
  logs.trim();
}

}  // namespace

void run_log_mel(const KernelCall& k, const LogMelKernelTable& table) {
  if (k.outputs[0].elements() == 0) return;
  const LogMelKernels& kernels = table.of(k.call.dtype);
  if (k.call.dtype == Dtype::Float64) {
    run(k, kernels, k.inputs[1].as<const double>(), k.outputs[0].as<double>());
  } else if (k.call.dtype == Dtype::Float32) {
    run(k, kernels, k.inputs[1].as<const float>(), k.outputs[0].as<float>());
  } else {
    run_halves(k, kernels);
  }
}

void run_log_mel(const KernelCall& call) { run_log_mel(call, *runnable_log_mel_kernels().front()); }

}  // namespace siliconprof::cpu
