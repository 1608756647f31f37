#include "siliconprof/kernels/cpu/group_norm.h"

#include <cmath>
#include <vector>

#include "siliconprof/kernels/cpu/channel_statistics.h"
#include "siliconprof/kernels/cpu/element_type.h"
#include "siliconprof/kernels/cpu/layer_norm.h"
#include "siliconprof/kernels/cpu/norm_kernels.h"
#include "siliconprof/kernels/cpu/pieces.h"

namespace siliconprof::cpu {
namespace {

struct Problem {
  const KernelCall& k;
  const NormLoops& loops;
  std::int64_t groups;
  std::int64_t rows;  // groups of the whole batch
  std::int64_t channels;
  std::int64_t inner;
  std::int64_t size;
  bool stream;

  explicit Problem(const KernelCall& call)
      : k(call),
        loops(norm_loops(call.call.dtype)),
        groups(call.call.dims[1]),
        rows(call.call.dims[0] * call.call.dims[1]),
        channels(call.call.dims[2]),
        inner(call.call.dims[3]),
        size(size_bytes(call.call.dtype)),
        stream(exceeds_cache(call)) {}

  std::int64_t n() const { return channels * inner; }
  /// The first byte of a channel's run.
  std::int64_t at(std::int64_t row, std::int64_t c) const { return (row * n() + c * inner) * size; }
  /// Where the weight of a row's channel is.
  std::size_t parameter(std::int64_t row, std::int64_t c) const {
    return std::size_t(row % groups * channels + c);
  }
  NormShape flat() const { return {rows, n(), groups}; }
};

template <class T>
void set_kept(const TensorView& view, std::int64_t at, T value) {
  if (view.dtype == Dtype::Float64) {
    view.as<double>()[at] = double(value);
  } else {
    view.as<float>()[at] = float(value);
  }
}

template <class T>
void normalise_rows(const Problem& p, std::int64_t begin, std::int64_t end) {
  const T* weight = p.k.inputs[1].as<const T>();
  const T* bias = p.k.inputs[2].as<const T>();
  const char* x = p.k.inputs[0].as<const char>();
  char* y = p.k.outputs[0].as<char>();
  for (std::int64_t row = begin; row < end; ++row) {
    double mean = 0;
    double squares = 0;
    p.loops.moments(x + p.at(row, 0), p.n(), &mean, &squares);
    const double rstd = 1 / std::sqrt(squares / double(p.n()) + p.k.call.attributes[0]);
    const double centre = as_kept(mean, p.k.call.dtype);
    set_kept(p.k.outputs[1], row, mean);
    set_kept(p.k.outputs[2], row, rstd);
    for (std::int64_t c = 0; c < p.channels; ++c) {
      const std::size_t which = p.parameter(row, c);
      const double scale = rstd * double(weight[which]);
      const double shift = double(bias[which]) - (mean - centre) * scale;
      p.loops.affine(x + p.at(row, c), centre, scale, shift, y + p.at(row, c), p.inner, p.stream);
    }
  }
  if (p.stream) p.loops.fence();
}

/// Of one group of one batch item; its runs' sums stay for the weights' gradients.
template <class T>
void slopes_of_row(const Problem& p, std::int64_t row, double mean, double rstd, double* sums,
                   double* dots) {
  const T* weight = p.k.inputs[1].as<const T>();
  const char* x = p.k.inputs[0].as<const char>();
  const char* dy = p.k.inputs[4].as<const char>();
  char* dx = p.k.outputs[0].as<char>();
  double sum = 0;
  double dot = 0;
  for (std::int64_t c = 0; c < p.channels; ++c) {
    p.loops.slope_sums(x + p.at(row, c), dy + p.at(row, c), p.inner, mean, &sums[c], &dots[c]);
    dots[c] *= rstd;
    sum += double(weight[p.parameter(row, c)]) * sums[c];
    dot += double(weight[p.parameter(row, c)]) * dots[c];
  }
  const double a = -rstd * rstd * dot / double(p.n());
  const double shift = -rstd * sum / double(p.n());
  for (std::int64_t c = 0; c < p.channels; ++c) {
    const double b = rstd * double(weight[p.parameter(row, c)]);
    p.loops.blend(x + p.at(row, c), dy + p.at(row, c), mean, a, b, shift, dx + p.at(row, c),
                  p.inner, p.stream);
  }
}

template <class T>
void store_sums(const Problem& p, const std::vector<double>& of_rows, const TensorView& out) {
  const std::int64_t n = p.groups * p.channels;
  std::vector<double> totals(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < of_rows.size(); ++i) totals[i % totals.size()] += of_rows[i];
  for (std::int64_t i = 0; i < n; ++i) {
    out.as<T>()[i] = static_cast<T>(static_cast<Accumulator<T>>(totals[std::size_t(i)]));
  }
}

}  // namespace

void run_group_norm(const KernelCall& k) {
  const Problem p(k);
  if (p.inner == 1) return run_layer_norm(k, p.flat());
  with_element_type(k.call.dtype, [&]<class T>() {
    run_in_pieces(k, p.rows, 2 * p.n() * p.size,
                  [&](std::int64_t begin, std::int64_t end) { normalise_rows<T>(p, begin, end); });
  });
}

void run_group_norm_backward(const KernelCall& k) {
  const Problem p(k);
  if (p.inner == 1) return run_layer_norm_backward(k, p.flat());
  const std::vector<double> mean = kept_values(k.inputs[2]);
  const std::vector<double> rstd = kept_values(k.inputs[3]);
  std::vector<double> sums(std::size_t(p.rows * p.channels));
  std::vector<double> dots(sums.size());
  with_element_type(k.call.dtype, [&]<class T>() {
    run_in_pieces(k, p.rows, 3 * p.n() * p.size, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        slopes_of_row<T>(p, row, mean[std::size_t(row)], rstd[std::size_t(row)],
                         &sums[std::size_t(row * p.channels)],
                         &dots[std::size_t(row * p.channels)]);
      }
      if (p.stream) p.loops.fence();
    });
    store_sums<T>(p, dots, k.outputs[1]);
    store_sums<T>(p, sums, k.outputs[2]);
  });
}

}  // namespace siliconprof::cpu
