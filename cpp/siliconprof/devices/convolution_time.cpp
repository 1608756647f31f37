#include "siliconprof/devices/convolution_time.h"

#include "siliconprof/devices/roofline.h"

namespace siliconprof {
namespace {

/// What filling `n` up to whole tiles multiplies work by.
double filled(std::int64_t n, std::int64_t tile) {
  const std::int64_t whole = (n + tile - 1) / tile * tile;
  return n == 0 ? 1.0 : double(whole) / double(n);
}

/// Taps that fall beside the data are among them: kernels multiply them as zeros.
double unfolded_elements(const Convolution& c) {
  const std::int64_t windows = c.batch * c.rows.windows() * c.columns.windows();
  return double(windows * c.rows.kernel * c.columns.kernel * c.channels);
}

}  // namespace

bool is_unfolded(const Convolution& convolution) {
  const bool of_one_axis = convolution.rows.length == 1;
  const auto fits = [](std::int64_t n, std::int64_t few) { return n <= few || n % 16 == 0; };
  return of_one_axis || !fits(convolution.channels, 4) || !fits(convolution.outputs, 16);
}

ConvolutionTime tiled_convolution_time(const OpCall& call, const Cost& cost,
                                       const ConvolutionUnit& unit) {
  const Convolution c = convolution_of(call);
  const double work = 2.0 * unfolded_elements(c) * double(c.outputs) *
                      filled(c.outputs, unit.outputs_tile) * filled(c.channels, unit.channels_tile);
  ConvolutionTime found;
  found.start_s = unit.start_s;
  if (unit.unfolded_elements_per_s > 0.0 && (unit.unfolds_all || is_unfolded(c))) {
    found.copy_s = unfolded_elements(c) / unit.unfolded_elements_per_s;
  }
  found.product_s = roofline_s(work / unit.flops_per_s, double(cost.bytes()) / unit.bytes_per_s);
  return found;
}

ConvolutionTime convolution_time(const OpCall& call, const ProductUnit& product,
                                 const ConvolutionUnit& unit) {
  const ProductTime time = product_time(call.op->product(call), product);
  if (time.total_s() == 0.0) return {};
  const Convolution c = convolution_of(call);
  double work = unit.work;
  if (call.op->name.ends_with("_data_backward")) {
    // The product counts a window at each place of the data; one in so many has one.
    const double apart = double(c.rows.stride) * double(c.columns.stride);
    if (apart > 1.0) work *= unit.strided / apart;
  }
  ConvolutionTime found;
  found.start_s = unit.start_s;
  found.product_s = time.start_s + work * (time.total_s() - time.start_s);
  if (unit.copy_bytes_per_s > 0.0) {
    const std::int64_t elements = c.batch * c.channels * c.rows.length * c.columns.length +
                                  c.batch * c.outputs * c.rows.windows() * c.columns.windows() +
                                  c.outputs * c.channels * c.rows.kernel * c.columns.kernel;
    found.copy_s = 2.0 * double(elements * size_bytes(call.dtype)) / unit.copy_bytes_per_s;
  }
  return found;
}

}  // namespace siliconprof
