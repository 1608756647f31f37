#include "siliconprof/kernels/cpu/attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/element_type.h"
#include "siliconprof/kernels/cpu/half_choice.h"
#include "siliconprof/kernels/cpu/parallel.h"
#include "siliconprof/kernels/cpu/scratch.h"
#include "siliconprof/ops/attention_layout.h"

namespace siliconprof::cpu {
namespace {

/// So many scalars of a thread's own, in floats, as whole lines.
std::int64_t room_floats(const OpCall& call, std::int64_t scalars) {
  const std::int64_t floats = call.dtype == Dtype::Float64 ? 2 * scalars : scalars;
  return rounded_up(floats, 16);
}

/// What the loops of a thread need, and what the sums of a gradient do.
std::int64_t loop_floats(const OpCall& call, const AttentionLayout& layout, bool by_halves) {
  return room_floats(call, by_halves ? attention_half_scratch(layout.keys, layout.head_dim)
                                     : attention_scratch(layout.head_dim));
}
std::int64_t sum_floats(const OpCall& call, const AttentionLayout& layout, bool by_halves) {
  return room_floats(call, by_halves ? attention_half_sums(layout.keys, layout.head_dim)
                                     : attention_sums(layout.keys, layout.head_dim));
}

/// The op's tensors, those that it has, and where q, k and v begin in them.
struct Problem {
  const KernelCall& call;
  const AttentionRun& run;
  AttentionLayout layout;
  const void* q;
  const void* k;
  const void* v;
  void* y;
  void* lse;
  const void* dy = nullptr;
  void* dq = nullptr;
  void* dk = nullptr;
  void* dv = nullptr;

  std::int64_t first_query() const { return layout.first_seeing(); }
  std::int64_t blocks() const {
    return divided_up(layout.queries - first_query(), kAttentionQueries);
  }
  std::int64_t heads() const { return layout.batch * layout.heads; }
  bool by_halves() const { return run.halves != nullptr && call.call.dtype == Dtype::BFloat16; }
  const AttentionKernels& kernels() const {
    return by_halves() ? run.halves->loops.bfloat16 : run.table.of(call.call.dtype);
  }
  std::int64_t scratch() const { return loop_floats(call.call, layout, by_halves()); }
  std::int64_t sums() const { return sum_floats(call.call, layout, by_halves()); }
};

template <class Void>
Void* at(Void* tensor, std::int64_t element, std::int64_t bytes_each) {
  using Byte = std::conditional_t<std::is_const_v<Void>, const char, char>;
  return tensor == nullptr ? nullptr : static_cast<Byte*>(tensor) + element * bytes_each;
}

/// Head h of all, counted through the batch.
AttentionHeadArrays head_arrays(const Problem& p, std::int64_t index) {
  const AttentionLayout& a = p.layout;
  const std::int64_t b = index / a.heads;
  const std::int64_t bytes = size_bytes(p.call.call.dtype);
  const std::int64_t inside = a.head(index % a.heads);
  const std::int64_t q = b * a.queries * a.row + inside;
  const std::int64_t k = b * a.keys * a.row + inside + a.k_first;
  const std::int64_t v = b * a.keys * a.row + inside + a.v_first;
  const std::int64_t y = b * a.queries * a.y_row() + inside;
  return {.queries = a.queries,
          .keys = a.keys,
          .head_dim = a.head_dim,
          .causal = a.causal,
          .row = a.row,
          .y_row = a.y_row(),
          .q = at(p.q, q, bytes),
          .k = at(p.k, k, bytes),
          .v = at(p.v, v, bytes),
          .y = at(p.y, y, bytes),
          .lse = at(p.lse, index * a.queries, size_bytes(statistics_dtype(p.call.call.dtype))),
          .dy = at(p.dy, y, bytes),
          .dq = at(p.dq, q, bytes),
          .dk = at(p.dk, k, bytes),
          .dv = at(p.dv, v, bytes),
          .halves = p.by_halves() ? &p.run.halves->machine : nullptr};
}

/// Zeros in a head's part of tokens [0, count).
void clear(const Problem& p, void* tensor, std::int64_t row, std::int64_t count) {
  const std::int64_t bytes = size_bytes(p.call.call.dtype);
  for (std::int64_t i = 0; i < count; ++i) {
    std::memset(at(tensor, i * row, bytes), 0, std::size_t(p.layout.head_dim * bytes));
  }
}

/// What the op says of queries that see no key.
void fill_unseeing(const Problem& p, const AttentionHeadArrays& head) {
  clear(p, head.y, head.y_row, p.first_query());
  with_element_type(statistics_dtype(p.call.call.dtype), [&]<class T>() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    std::fill_n(static_cast<T*>(head.lse), p.first_query(), static_cast<T>(-kInfinity));
  });
}

/// So many floats for each thread, side by side.
class ThreadRooms {
 public:
  ThreadRooms(Scratch& memory, const KernelCall& k, std::int64_t each)
      : each_(each), memory_(memory.floats(k.threads * each)) {}
  float* operator[](std::int64_t thread) const { return memory_ + thread * each_; }

 private:
  std::int64_t each_;
  float* memory_;
};

ThreadRooms loop_rooms(const Problem& p) {
  static thread_local Scratch memory;
  return {memory, p.call, p.scratch()};
}

/// The blocks of a head from the outside in, so that shares of a causal head cost alike.
std::int64_t balanced(std::int64_t place, std::int64_t count) {
  return place % 2 == 0 ? place / 2 : count - 1 - place / 2;
}

double block_flops(const Problem& p) {
  const AttentionLayout& a = p.layout;
  const std::int64_t blocks = std::max<std::int64_t>(p.blocks(), 1);
  return 4.0 * double(a.pairs() + 1) * double(a.head_dim) / double(blocks);
}

void forward(const Problem& p) {
  if (p.heads() * p.layout.queries == 0) return;
  for (std::int64_t h = 0; h < p.heads() && p.first_query() > 0; ++h) {
    fill_unseeing(p, head_arrays(p, h));
  }
  const AttentionKernels& kernels = p.kernels();
  const std::int64_t blocks = p.blocks();
  const std::int64_t tasks = p.heads() * blocks;
  const auto most = std::int64_t(p.run.flops_between_polls / block_flops(p)) + 1;
  const std::int64_t piece = most * p.call.threads;
  const ThreadRooms rooms = loop_rooms(p);
  for (std::int64_t start = 0; start < tasks; start += piece) {
    if (start > 0 && p.call.poll) p.call.poll();
    const std::int64_t count = std::min(piece, tasks - start);
    parallel_shares(p.call.threads, count, 1, [&](std::int64_t begin, std::int64_t end, int t) {
      std::int64_t prepared = -1;
      for (std::int64_t task = start + begin; task < start + end; ++task) {
        const AttentionHeadArrays head = head_arrays(p, task / blocks);
        if (kernels.prepare != nullptr && prepared != task / blocks) {
          kernels.prepare(head, false, rooms[t]);
          prepared = task / blocks;
        }
        const std::int64_t block = balanced(task % blocks, blocks);
        const std::int64_t query = p.first_query() + block * kAttentionQueries;
        kernels.forward(head, query, std::min(query + kAttentionQueries, p.layout.queries),
                        rooms[t]);
      }
    });
  }
}

/// Blocks [begin, end) of one head; the sums over all of them lie in `sums`.
void backward_blocks(const Problem& p, std::int64_t h, std::int64_t begin, std::int64_t end,
                     float* sums, float* scratch) {
  const AttentionHeadArrays head = head_arrays(p, h);
  const AttentionKernels& kernels = p.kernels();
  if (kernels.prepare != nullptr) kernels.prepare(head, true, scratch);
  if (begin == 0) {
    std::memset(sums, 0, std::size_t(p.sums()) * sizeof(float));
    clear(p, head.dq, head.row, p.first_query());
  }
  for (std::int64_t block = begin; block < end; ++block) {
    const std::int64_t query = p.first_query() + block * kAttentionQueries;
    kernels.backward(head, query, std::min(query + kAttentionQueries, p.layout.queries), scratch,
                     sums);
  }
  if (end == p.blocks()) kernels.write_sums(head, sums);
}

void backward(const Problem& p) {
  if (p.heads() == 0 || p.layout.queries + p.layout.keys == 0) return;
  // Heads side by side, one or more a thread; long ones in several steps.
  const auto step =
      std::int64_t(std::max(1.0, p.run.flops_between_polls / (2.5 * block_flops(p))));  // blocks
  const std::int64_t blocks = p.blocks();
  const bool whole = step >= blocks;
  const std::int64_t in_flight =
      p.call.threads * (whole ? step / std::max<std::int64_t>(blocks, 1) : 1);
  // Whole heads are done one after the other: a thread's sums stay in its cache.
  const ThreadRooms sums(kernel_scratch(), p.call, p.sums());
  const ThreadRooms rooms = loop_rooms(p);
  for (std::int64_t start = 0; start < p.heads(); start += in_flight) {
    const std::int64_t count = std::min(in_flight, p.heads() - start);
    for (std::int64_t block = 0; block == 0 || block < blocks; block += step) {
      if (start + block > 0 && p.call.poll) p.call.poll();
      parallel_shares(p.call.threads, count, 1, [&](std::int64_t begin, std::int64_t end, int t) {
        for (std::int64_t i = begin; i < end; ++i) {
          backward_blocks(p, start + i, block, std::min(block + step, blocks), sums[whole ? t : i],
                          rooms[t]);
        }
      });
    }
  }
  kernel_scratch().trim();
}

Problem of_three(const KernelCall& k, const AttentionRun& run, bool gradient) {
  Problem p{k,
            run,
            attention_layout(k.call),
            k.inputs[0].data,
            k.inputs[1].data,
            k.inputs[2].data,
            gradient ? k.inputs[3].data : k.outputs[0].data,
            gradient ? k.inputs[4].data : k.outputs[1].data};
  if (gradient) {
    p.dy = k.inputs[5].data;
    p.dq = k.outputs[0].data;
    p.dk = k.outputs[1].data;
    p.dv = k.outputs[2].data;
  }
  return p;
}

Problem of_one(const KernelCall& k, const AttentionRun& run, bool gradient) {
  const void* qkv = k.inputs[0].data;
  Problem p{k,
            run,
            attention_qkv_layout(k.call),
            qkv,
            qkv,
            qkv,
            gradient ? k.inputs[1].data : k.outputs[0].data,
            gradient ? k.inputs[2].data : k.outputs[1].data};
  if (gradient) {
    p.dy = k.inputs[3].data;
    p.dq = p.dk = p.dv = k.outputs[0].data;
  }
  return p;
}

AttentionLayout layout_of(const OpCall& call) {
  return call.op->name.starts_with("attention_qkv") ? attention_qkv_layout(call)
                                                    : attention_layout(call);
}

/// bfloat16's products by this CPU's dot products or tiles, or null.
const AttentionHalves* best_halves() {
  static const auto best = []() -> std::optional<AttentionHalves> {
    if (half_machine() == nullptr) return std::nullopt;
    return AttentionHalves{*runnable_attention_halves().front(), *half_machine()};
  }();
  return best ? &*best : nullptr;
}

bool halves_suit(const OpCall& call, const AttentionLayout& layout) {
  return call.dtype == Dtype::BFloat16 && best_halves() != nullptr && halves_suit_attention(layout);
}

AttentionRun best(const OpCall& call) {
  AttentionRun run{.table = *runnable_attention_kernels().front()};
  if (halves_suit(call, layout_of(call))) run.halves = best_halves();
  return run;
}

}  // namespace

void run_attention(const KernelCall& call, const AttentionRun& run) {
  forward(of_three(call, run, false));
}
void run_attention_backward(const KernelCall& call, const AttentionRun& run) {
  backward(of_three(call, run, true));
}
void run_attention_qkv(const KernelCall& call, const AttentionRun& run) {
  forward(of_one(call, run, false));
}
void run_attention_qkv_backward(const KernelCall& call, const AttentionRun& run) {
  backward(of_one(call, run, true));
}

void run_attention(const KernelCall& call) { run_attention(call, best(call.call)); }
void run_attention_backward(const KernelCall& call) {
  run_attention_backward(call, best(call.call));
}
void run_attention_qkv(const KernelCall& call) { run_attention_qkv(call, best(call.call)); }
void run_attention_qkv_backward(const KernelCall& call) {
  run_attention_qkv_backward(call, best(call.call));
}

std::int64_t attention_loops_bytes(const OpCall& call, int threads) {
  const AttentionLayout layout = layout_of(call);
  return threads * loop_floats(call, layout, halves_suit(call, layout)) * 4;
}

std::int64_t attention_sums_bytes(const OpCall& call, int threads) {
  if (!call.op->name.ends_with("_backward")) return 0;
  const AttentionLayout layout = layout_of(call);
  return threads * sum_floats(call, layout, halves_suit(call, layout)) * 4;
}

}  // namespace siliconprof::cpu
