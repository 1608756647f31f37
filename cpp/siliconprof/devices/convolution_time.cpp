#include "siliconprof/devices/convolution_time.h"

#include <algorithm>

#include "siliconprof/core/rounding.h"
#include "siliconprof/devices/roofline.h"

namespace siliconprof {
namespace {

/// What filling n up to whole tiles multiplies work by.
double filling(std::int64_t n, std::int64_t tile) {
  return n == 0 ? 1.0 : double(rounded_up(n, tile)) / double(n);
}

/// Taps that fall beside the data are among them: kernels multiply them as zeros.
double unfolded_elements(const Convolution& c) {
  const std::int64_t windows = c.batch * c.rows.windows() * c.columns.windows();
  return double(windows * c.rows.kernel * c.columns.kernel * c.channels);
}

std::int64_t data_elements(const Convolution& c) {
  return c.batch * c.channels * c.rows.length * c.columns.length +
         c.batch * c.outputs * c.rows.windows() * c.columns.windows();
}

bool is_winograd(const Convolution& c) {
  const auto fits = [](const WindowAxis& axis) { return axis.kernel == 3 && axis.stride == 1; };
  return fits(c.rows) && fits(c.columns);
}

/// Gradients of 3 x 3 weights from patches of 4 x 4 windows: 36 products of channels by outputs,
/// along the patches; data and gradients are written out for them, 36 elements for each 16.
ConvolutionTime winograd_time(const Convolution& c, const ProductUnit& product,
                              const ConvolutionUnit& unit) {
  constexpr std::int64_t kPatch = 4;
  constexpr std::int64_t kPoints = 36;
  const auto patches = [](const WindowAxis& axis) { return divided_up(axis.windows(), kPatch); };
  const std::int64_t depth = c.batch * patches(c.rows) * patches(c.columns);
  const ProductTime time =
      whole_product_time({kPoints, c.channels, depth, c.outputs, depth, depth, c.outputs}, product);
  if (time.total_s() == 0.0) return {};
  const double written = double(kPoints * depth * (c.channels + c.outputs));
  ConvolutionTime found;
  found.start_s = unit.start_s;
  found.product_s = unit.winograd * time.total_s();
  found.copy_s =
      product.element_bytes * (double(data_elements(c)) + written) / unit.transform_bytes_per_s;
  return found;
}

/// Windows of one place at every position, whose rows of places wide loads can take: the gradient
/// of weights runs along them and wants twice as much.
bool is_pointwise(const OpCall& call, const Convolution& c) {
  const auto fits = [](const WindowAxis& axis) {
    return axis.kernel == 1 && axis.stride == 1 && axis.padding == 0;
  };
  const std::int64_t load_bytes = call.op->name.ends_with("_weight_backward") ? 32 : 16;
  const std::int64_t places_bytes = c.rows.length * c.columns.length * size_bytes(call.dtype);
  return fits(c.rows) && fits(c.columns) && places_bytes % load_bytes == 0;
}

/// The peak's. In float32 cuDNN has Winograd's ways, which do less than the product.
double least_s(const OpCall& call, const Cost& cost, const ProductUnit& product) {
  if (call.dtype == Dtype::Float32) return 0.0;
  return double(cost.matrix_flops) / product.peak_flops_per_s;
}

/// Data, result and weights, both ways.
double copied_bytes(const OpCall& call, const Convolution& c) {
  const std::int64_t elements =
      data_elements(c) + c.outputs * c.channels * c.rows.kernel * c.columns.kernel;
  return 2.0 * double(elements * size_bytes(call.dtype));
}

}  // namespace

ConvolutionTime tiled_convolution_time(const OpCall& call, const Cost& cost,
                                       const ConvolutionUnit& unit) {
  const Convolution c = convolution_of(call);
  if (unit.staged.staged_elements_per_s > 0.0) {
    const StagedTime time = staged_convolution_time(c, double(cost.bytes()),
                                                    double(size_bytes(call.dtype)), unit.staged);
    return {unit.start_s, time.product_s, time.written_s};
  }
  const bool of_one_axis = c.rows.length == 1;
  const std::int64_t tile = of_one_axis ? unit.row_outputs_tile : unit.outputs_tile;
  const double work = 2.0 * unfolded_elements(c) * double(c.outputs) * filling(c.outputs, tile) *
                      filling(c.channels, unit.channels_tile);
  ConvolutionTime found;
  found.start_s = unit.start_s;
  if (unit.unfolded_elements_per_s > 0.0) {
    found.copy_s = unfolded_elements(c) / unit.unfolded_elements_per_s;
  }
  if (unit.copy_bytes_per_s > 0.0) found.copy_s += copied_bytes(call, c) / unit.copy_bytes_per_s;
  found.product_s = roofline_s(work / unit.flops_per_s, double(cost.bytes()) / unit.bytes_per_s);
  return found;
}

ConvolutionTime convolution_time(const OpCall& call, const Cost& cost, const ProductUnit& product,
                                 const ConvolutionUnit& unit) {
  const Convolution c = convolution_of(call);
  const bool of_weights = call.op->name.ends_with("_weight_backward");
  if (of_weights && unit.winograd > 0.0 && is_winograd(c)) return winograd_time(c, product, unit);
  ProductShape shape = call.op->product(call);
  const bool in_place = unit.pointwise > 0.0 && is_pointwise(call, c);
  if (const std::int64_t windows = c.columns.windows(); !in_place && !of_weights && windows > 0) {
    shape.m = shape.m * rounded_up(windows, unit.columns_tile) / windows;
  }
  const ProductTime time = implicit_product_time(shape, product);
  if (time.total_s() == 0.0) return {};
  if (in_place) {
    const double product_s = unit.pointwise * (time.total_s() - time.start_s);
    return {unit.start_s, time.start_s + std::max(product_s, least_s(call, cost, product)), 0.0};
  }
  const bool of_data = call.op->name.ends_with("_data_backward");
  for (const FourierWay& way : unit.fourier) {
    if (of_weights) break;
    if (const auto own = fourier_time(c, of_data, way, product, unit.transform_bytes_per_s)) {
      return {unit.start_s, own->product_s, own->transform_s};
    }
  }
  double work = unit.work;
  if (of_data) {
    // The product counts a window at each place of the data; one in so many has one.
    const double apart = double(c.rows.stride) * double(c.columns.stride);
    if (apart > 1.0) work *= unit.strided / apart;
  }
  ConvolutionTime found;
  found.start_s = unit.start_s;
  const double product_s = work * (time.total_s() - time.start_s);
  found.product_s = time.start_s + std::max(product_s, least_s(call, cost, product));
  if (unit.copy_bytes_per_s > 0.0) found.copy_s = copied_bytes(call, c) / unit.copy_bytes_per_s;
  return found;
}

}  // namespace siliconprof
