#include "siliconprof/devices/kernel_work.h"

#include <algorithm>
#include <vector>

#include "siliconprof/core/rounding.h"
#include "siliconprof/ops/attention.h"
#include "siliconprof/ops/attention_layout.h"
#include "siliconprof/ops/convolution.h"
#include "siliconprof/ops/linear.h"
#include "siliconprof/ops/matmul.h"
#include "siliconprof/ops/matvec.h"
#include "siliconprof/ops/sort.h"
#include "siliconprof/ops/sum.h"
#include "siliconprof/ops/table.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, kWorkCount> kKeys{"start_s",
                                                         "arithmetic_flops_per_s",
                                                         "left_bytes_per_s",
                                                         "right_bytes_per_s",
                                                         "result_bytes_per_s",
                                                         "cached_bytes_per_s",
                                                         "memory_bytes_per_s",
                                                         "streamed_bytes_per_s"};

constexpr std::array<std::string_view, 3> kProducts{"product_forward", "product_data_gradient",
                                                    "product_weight_gradient"};

// Products of a side so short that bringing the factors near takes about as long as multiplying.
constexpr std::string_view kThin = "product_thin";
constexpr std::int64_t kThinSide = 32;
// Columns that are multiplied at once, however few there are.
constexpr std::int64_t kVector = 16;

// Convolutions that libraries make fewer products of than they have taps [lavin2016].
constexpr std::array<std::string_view, 3> kConvolutions{"conv2d_3x3", "conv2d_3x3_data_backward",
                                                        "conv2d_3x3_weight_backward"};
// Fewer leave nothing to win.
constexpr std::int64_t kLeastChannels = 32;
// Sides of the tiles of results that they go by.
constexpr std::int64_t kPositions = 2;
constexpr std::string_view kNarrow = "conv2d_narrow";
constexpr std::int64_t kNarrowOutputs = 8;
// Of rows that lie in a piece each, where others are summed across.
constexpr std::string_view kSumRows = "sum_rows";

// Terms that libraries sum up before they write a result back, about.
constexpr std::int64_t kDepthBlock = 384;
// Queries that share one pass over the keys.
constexpr std::int64_t kQueryBlock = 64;

/// An op that runs the kernel of another.
struct Alias {
  const Op* op;
  const Op* kernel;
};
constexpr std::array<Alias, 5> kAliases{{{&kConv1d, &kConv2d},
                                         {&kConv1dDataBackward, &kConv2dDataBackward},
                                         {&kConv1dWeightBackward, &kConv2dWeightBackward},
                                         {&kAttentionQkv, &kAttention},
                                         {&kAttentionQkvBackward, &kAttentionBackward}}};

bool is_product(const Op& op) { return &op == &kLinear || &op == &kMatmul; }

const Op& kernel_op(const Op& op) {
  for (const Alias& alias : kAliases) {
    if (alias.op == &op) return *alias.kernel;
  }
  return op;
}

bool is_thin(const OpCall& call) {
  if (!is_product(*call.op)) return false;
  const ProductShape p = call.op->product(call);
  return std::min({p.m, p.k, p.n}) <= kThinSide;
}

/// A product with a vector, whose matrix streams by.
bool has_vector(const OpCall& call) {
  if (!is_product(*call.op)) return false;
  const ProductShape p = call.op->product(call);
  return std::min(p.m, p.n) == 1;
}

bool is_narrow(const OpCall& call) {
  return &kernel_op(*call.op) == &kConv2d && convolution_of(call).outputs <= kNarrowOutputs;
}

/// Of 3 x 3 windows at every position, of many channels to many outputs.
bool is_3x3(const OpCall& call) {
  if (call.op->op_class != OpClass::Convolution) return false;
  const Convolution c = convolution_of(call);
  const auto fits = [](const WindowAxis& axis) { return axis.kernel == 3 && axis.stride == 1; };
  return fits(c.rows) && fits(c.columns) && std::min(c.channels, c.outputs) >= kLeastChannels;
}

double& at(WorkAmounts& amounts, Work work) { return amounts[static_cast<std::size_t>(work)]; }

void add_stream(const CallTraffic& traffic, WorkAmounts& amounts) {
  at(amounts, Work::Cached) = traffic.bytes - traffic.large_bytes;
  at(amounts, Work::Memory) = traffic.far_bytes - traffic.large_far_bytes;
  at(amounts, Work::Streamed) = traffic.large_bytes;
}

void add_product(std::string_view kernel, const OpCall& call, WorkAmounts& amounts) {
  const ProductShape p = call.op->product(call);
  const double each = double(p.batch * size_bytes(call.dtype));
  at(amounts, Work::Left) = each * double(p.m * p.k);
  at(amounts, Work::Right) = each * double(p.k * p.n);
  at(amounts, Work::Result) = each * double(p.m * p.n * divided_up(p.k, kDepthBlock));
  if (kernel == kThin) {
    at(amounts, Work::Arithmetic) =
        2.0 * double(p.batch * p.m) * double(p.k) * double(rounded_up(p.n, kVector));
  }
}

/// Of the convolution, or of its gradient's results.
std::int64_t positions(const OpCall& call, const WindowAxis& axis) {
  return rounded_up(call.op == &kConv2dDataBackward ? axis.length : axis.windows(), kPositions);
}

/// Columns that are multiplied at once fill a vector, of few ones half of one.
std::int64_t filled(std::int64_t columns) {
  return columns <= kNarrowOutputs ? kNarrowOutputs : rounded_up(columns, kVector);
}

/// At a position and tap: columns are outputs, of the data's gradient channels.
double multiplied(const OpCall& call, const Convolution& c) {
  const Op& kernel = kernel_op(*call.op);
  if (is_3x3(call) || &kernel == &kConv2dWeightBackward) return double(c.channels * c.outputs);
  return &kernel == &kConv2d ? double(c.channels * filled(c.outputs))
                             : double(filled(c.channels) * c.outputs);
}

void add_convolution(const OpCall& call, const Cost& cost, WorkAmounts& amounts) {
  const Convolution c = convolution_of(call);
  const std::int64_t taps = c.rows.kernel * c.columns.kernel;
  const std::int64_t weights = c.outputs * taps * c.channels;
  if (weights == 0) return;
  // Of windows, or of the results of the data's gradient, without taps on padding.
  double at_taps = 0.5 * double(cost.matrix_flops) / double(c.channels * c.outputs);
  if (is_3x3(call)) {
    at_taps = double(c.batch * positions(call, c.rows) * positions(call, c.columns) * taps);
  }
  const auto each = double(size_bytes(call.dtype));
  at(amounts, Work::Arithmetic) = 2.0 * at_taps * multiplied(call, c);
  at(amounts, Work::Right) = each * double(weights);
  // Forward a result's terms are added up in registers, and reading them goes with multiplying.
  const bool adds_up = &kernel_op(*call.op) == &kConv2d && !is_3x3(call);
  at(amounts, Work::Left) = adds_up ? 0.0 : each * at_taps * double(c.channels);
  const auto windows = double(c.batch * c.rows.windows() * c.columns.windows());
  at(amounts, Work::Result) = each * double(c.outputs) * (adds_up ? windows : at_taps);
}

void add_attention(const OpCall& call, const AttentionLayout& a, WorkAmounts& amounts) {
  const double row = double(a.batch * a.heads * a.head_dim * size_bytes(call.dtype));
  at(amounts, Work::Left) = row * double(a.queries);
  at(amounts, Work::Right) = 2.0 * row * double(a.keys * divided_up(a.queries, kQueryBlock));
  at(amounts, Work::Result) = 2.0 * row * double(a.keys);
}

}  // namespace

std::span<const std::string_view> work_keys() { return kKeys; }

WorkAmounts work_amounts(std::string_view kernel, const OpCall& call, const Cost& cost,
                         const CallTraffic& traffic) {
  WorkAmounts amounts{};
  at(amounts, Work::Start) = 1.0;
  at(amounts, Work::Memory) = traffic.far_bytes;
  if (kernel == kMatvec.name) {
    add_stream(traffic, amounts);
    return amounts;
  }
  const Op& op = kernel_op(*call.op);
  if (op.op_class == OpClass::MatrixProduct || op.op_class == OpClass::Convolution ||
      op.op_class == OpClass::Attention) {
    at(amounts, Work::Arithmetic) = double(cost.matrix_flops);
  }
  if (is_product(op)) {
    add_product(kernel, call, amounts);
  } else if (op.op_class == OpClass::Convolution) {
    add_convolution(call, cost, amounts);
  } else if (call.op == &kAttention || call.op == &kAttentionBackward) {
    add_attention(call, attention_layout(call), amounts);
  } else if (op.op_class == OpClass::Attention) {
    add_attention(call, attention_qkv_layout(call), amounts);
  } else if (call.op == &kSort) {
    at(amounts, Work::Arithmetic) = double(cost.vector_flops);
  } else {
    add_stream(traffic, amounts);
  }
  return amounts;
}

std::string_view kernel_name(const OpCall& call) {
  if (has_vector(call)) return kMatvec.name;
  if (is_thin(call)) return kThin;
  if (call.op == &kSum && call.dims[2] == 1) return kSumRows;
  return is_narrow(call) ? kNarrow : usual_kernel_name(call);
}

std::string_view thin_kernel_name(const OpCall& call) {
  return is_thin(call) ? kThin : usual_kernel_name(call);
}

std::string_view usual_kernel_name(const OpCall& call) {
  if (is_3x3(call)) {
    return kConvolutions[call.op == &kConv2d ? 0 : call.op == &kConv2dDataBackward ? 1 : 2];
  }
  if (!is_product(*call.op)) return kernel_op(*call.op).name;
  if (call.op == &kLinear) return kProducts[0];
  const bool transpose_a = is_set(call.attributes[0]);
  const bool transpose_b = is_set(call.attributes[1]);
  return transpose_a ? kProducts[2] : transpose_b ? kProducts[0] : kProducts[1];
}

std::span<const std::string_view> kernel_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all(kProducts.begin(), kProducts.end());
    all.insert(all.end(), kConvolutions.begin(), kConvolutions.end());
    all.insert(all.end(), {kThin, kNarrow, kSumRows});
    for (const Op* op : all_ops()) {
      if (!is_product(*op) && &kernel_op(*op) == op) all.push_back(op->name);
    }
    for (int i = 0; i < kOpClassCount; ++i) {
      const std::string_view op_class = name(static_cast<OpClass>(i));
      if (std::find(all.begin(), all.end(), op_class) == all.end()) all.push_back(op_class);
    }
    return all;
  }();
  return names;
}

}  // namespace siliconprof
