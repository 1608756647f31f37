#include "siliconprof/devices/convolution_time.h"

#include "siliconprof/ops/convolution.h"

namespace siliconprof {

ConvolutionTime convolution_time(const OpCall& call, const ProductUnit& product,
                                 const ConvolutionUnit& unit) {
  const ProductShape shape = call.op->product(call);
  const double dense = 2.0 * double(shape.batch * shape.m) * double(shape.k) * double(shape.n);
  if (dense == 0.0) return {};
  const double part = double(call.op->cost(call).matrix_flops) / dense;
  const ProductTime time = product_time(shape, product);
  ConvolutionTime found;
  found.start_s = unit.start_s;
  found.product_s = unit.work * (time.start_s + part * (time.total_s() - time.start_s));
  if (unit.copy_bytes_per_s > 0.0) {
    const Convolution c = convolution_of(call);
    const std::int64_t elements = c.batch * c.channels * c.rows.length * c.columns.length +
                                  c.batch * c.outputs * c.rows.windows() * c.columns.windows() +
                                  c.outputs * c.channels * c.rows.kernel * c.columns.kernel;
    found.copy_s = 2.0 * double(elements * size_bytes(call.dtype)) / unit.copy_bytes_per_s;
  }
  return found;
}

}  // namespace siliconprof
