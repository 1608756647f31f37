#include "siliconprof/kernels/cpu/log_mel_gradient.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "siliconprof/kernels/cpu/element_type.h"
#include "siliconprof/kernels/cpu/half_conversion.h"
#include "siliconprof/kernels/cpu/log_mel_shared.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/scratch.h"

namespace siliconprof::cpu {
namespace {

// How many times a forward pass a gradient takes.
constexpr std::int64_t kPasses = 2;

/// Blocks whose gradients of filters are added to the same sums: few where each takes long.
std::int64_t group_of(const LogMelSizes& s) {
  constexpr double kMost = 8;
  return std::int64_t(
      std::clamp(kLogMelFlopsBetweenPolls / (kPasses * log_mel_block_flops(s)), 1.0, kMost));
}

/// Of one item's n results.
template <class Element>
LogMelResults results_of(Dtype dtype, const Element* y, const Element* dy, std::int64_t n) {
  double largest = double(y[0]);
  double least = largest;
  for (std::int64_t i = 1; i < n; ++i) {
    largest = std::max(largest, double(y[i]));
    least = std::min(least, double(y[i]));
  }
  const LogMelFloor floor = log_mel_floor(dtype);
  const bool some_raised = least <= largest * floor.scale + floor.shift;
  std::int64_t sharers = 0;
  double passed_on = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    sharers += std::int64_t(!(largest > double(y[i])));
    if (some_raised && double(y[i]) <= least) passed_on += double(dy[i]);
  }
  return {y, dy, some_raised ? least : -std::numeric_limits<double>::infinity(), largest,
          passed_on / double(sharers) + 0 * largest};
}

std::vector<LogMelResults> results_of_items(const KernelCall& k, const LogMelSizes& s) {
  std::vector<LogMelResults> all(std::size_t(s.batch));
  const std::int64_t n = s.mels * s.frames();
  with_element_type(k.call.dtype, [&]<class Element>() {
    const auto* y = k.inputs[2].as<const Element>();
    const auto* dy = k.inputs[3].as<const Element>();
    parallel_shares(k.threads, s.batch, 1, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t b = begin; b < end; ++b) {
        all[std::size_t(b)] = results_of(k.call.dtype, y + b * n, dy + b * n, n);
      }
    });
  });
  return all;
}

/// Adds what a block's frames give to their samples; those past an end lie mirrored.
template <class T>
void add_span(const LogMelSizes& s, const LogMelBlockFrames& block, const T* span, T* daudio) {
  const std::int64_t first = block.begin * s.hop - s.fft / 2;
  const std::int64_t length = (block.end - block.begin - 1) * s.hop + s.fft;
  const std::int64_t inside = std::clamp<std::int64_t>(-first, 0, length);
  const std::int64_t past = std::clamp<std::int64_t>(s.samples - first, inside, length);
  for (std::int64_t i = 0; i < inside; ++i) daudio[s.reflected(first + i)] += span[i];
  for (std::int64_t i = inside; i < past; ++i) daudio[first + i] += span[i];
  for (std::int64_t i = past; i < length; ++i) daudio[s.reflected(first + i)] += span[i];
}

/// What the gradient of any block is made of.
template <class T>
class Blocks {
 public:
  Blocks(const KernelCall& k, const T* filters)
      : call_(k),
        s_(log_mel_sizes(k.call)),
        shared_(s_, filters),
        tables_(shared_.tables()),
        results_(results_of_items(k, s_)),
        room_(rounded_up(log_mel_gradient_scratch(s_), kLogMelLanes)) {
    static thread_local Scratch memory;
    rooms_ = memory.numbers<T>(k.threads * room_);
  }

  /// Calls one of LogMelKernels' gradients for the block of that number.
  template <class Gradient>
  void make(Gradient gradient, std::int64_t number, int thread, T* out) const {
    const LogMelBlockFrames frames = log_mel_block(s_, number);
    const std::int64_t item_bytes = s_.samples * size_bytes(call_.call.dtype);
    gradient(s_, tables_, call_.inputs[0].as<const char>() + frames.item * item_bytes,
             results_[std::size_t(frames.item)], frames.begin, frames.end, out,
             rooms_ + thread * room_);
  }

 private:
  const KernelCall& call_;
  LogMelSizes s_;
  LogMelShared<T> shared_;
  LogMelTables tables_;
  std::vector<LogMelResults> results_;
  std::int64_t room_;
  T* rooms_;
};

struct AudioGradient {
  template <class T>
  void operator()(const KernelCall& k, const LogMelKernels& kernels, const T* filters,
                  T* daudio) const {
    static thread_local Scratch memory;
    const LogMelSizes s = log_mel_sizes(k.call);
    const Blocks<T> blocks(k, filters);
    const std::int64_t of_item = log_mel_blocks_of_item(s);
    const std::int64_t length = (std::min(kLogMelFrames, s.frames()) - 1) * s.hop + s.fft;
    T* spans = memory.numbers<T>(s.batch * of_item * length);
    share_log_mel_blocks(k, s.batch * of_item, kPasses, [&](std::int64_t number, int thread) {
      blocks.make(kernels.audio_gradient, number, thread, spans + number * length);
    });
    parallel_shares(k.threads, s.batch, 1, [&](std::int64_t begin, std::int64_t end, int) {
      std::fill(daudio + begin * s.samples, daudio + end * s.samples, T(0));
      for (std::int64_t number = begin * of_item; number < end * of_item; ++number) {
        const LogMelBlockFrames frames = log_mel_block(s, number);
        add_span(s, frames, spans + number * length, daudio + frames.item * s.samples);
      }
    });
    memory.trim();
  }
};

struct FiltersGradient {
  template <class T>
  void operator()(const KernelCall& k, const LogMelKernels& kernels, const T* filters,
                  T* dfilters) const {
    static thread_local Scratch memory;
    const LogMelSizes s = log_mel_sizes(k.call);
    const Blocks<T> blocks(k, filters);
    const std::int64_t all = s.batch * log_mel_blocks_of_item(s);
    const std::int64_t group_blocks = group_of(s);
    const std::int64_t groups = divided_up(all, group_blocks);
    const std::int64_t row = log_mel_row(s.bins());
    T* sums = memory.numbers<T>(groups * s.mels * row);
    share_log_mel_blocks(k, groups, kPasses * group_blocks, [&](std::int64_t group, int thread) {
      T* mine = sums + group * s.mels * row;
      std::fill(mine, mine + s.mels * row, T(0));
      const std::int64_t end = std::min(all, (group + 1) * group_blocks);
      for (std::int64_t i = group * group_blocks; i < end; ++i) {
        blocks.make(kernels.filters_gradient, i, thread, mine);
      }
    });
    run_in_pieces(k, s.mels, groups * s.bins() * std::int64_t(sizeof(T)),
                  [&](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t m = begin; m < end; ++m) {
                      for (std::int64_t f = 0; f < s.bins(); ++f) {
                        T sum = 0;
                        for (std::int64_t g = 0; g < groups; ++g) {
                          sum += sums[(g * s.mels + m) * row + f];
                        }
                        dfilters[m * s.bins() + f] = sum;
                      }
                    }
                  });
    memory.trim();
  }
};

template <class Gradient>
void run(const KernelCall& k, const LogMelKernelTable& table, const Gradient& gradient) {
  if (done_with_nothing(k)) return;
  static thread_local Scratch wide_filters;
  static thread_local Scratch wide_out;
  const LogMelKernels& kernels = table.of(k.call.dtype);
  const TensorView& filters = k.inputs[1];
  const TensorView& out = k.outputs[0];
  if (k.call.dtype == Dtype::Float64) {
    gradient(k, kernels, filters.as<const double>(), out.as<double>());
  } else if (k.call.dtype == Dtype::Float32) {
    gradient(k, kernels, filters.as<const float>(), out.as<float>());
  } else {
    float* wide = wide_filters.floats(filters.elements());
    widen(k.call.dtype, filters.data, wide, filters.elements(), k.threads);
    float* result = wide_out.floats(out.elements());
    gradient(k, kernels, static_cast<const float*>(wide), result);
    narrow(k.call.dtype, result, out.data, out.elements(), k.threads);
    wide_out.trim();
  }
}

}  // namespace

void run_log_mel_backward(const KernelCall& k, const LogMelKernelTable& table) {
  run(k, table, AudioGradient());
}
void run_log_mel_filters_backward(const KernelCall& k, const LogMelKernelTable& table) {
  run(k, table, FiltersGradient());
}
void run_log_mel_backward(const KernelCall& call) {
  run_log_mel_backward(call, *runnable_log_mel_kernels().front());
}
void run_log_mel_filters_backward(const KernelCall& call) {
  run_log_mel_filters_backward(call, *runnable_log_mel_kernels().front());
}

}  // namespace siliconprof::cpu
