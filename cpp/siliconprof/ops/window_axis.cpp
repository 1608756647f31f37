#include "siliconprof/ops/window_axis.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "siliconprof/core/error.h"
#include "siliconprof/core/number_text.h"
#include "siliconprof/core/rounding.h"
#include "siliconprof/ops/op.h"

namespace siliconprof {
namespace {

constexpr double kMostStride = 1 << 30;
constexpr std::int64_t kMostKernel = 1 << 20;  // taps are counted one by one

void check_attribute(const OpCall& call, std::string_view attribute, double value, double least,
                     double most) {
  if (value >= least && value <= most && value == std::floor(value)) return;
  throw ArgumentError("[" + std::string(call.op->name) + "] " + std::string(attribute) + " is " +
                      number_text(value) + "; needed: an integer from " +
                      std::to_string(std::int64_t(least)) + " to " +
                      std::to_string(std::int64_t(most)));
}

void check_kernel(const OpCall& call, std::size_t dim) {
  if (call.dims[dim] >= 1 && call.dims[dim] <= kMostKernel) return;
  throw ShapeError("[" + std::string(call.op->name) + "] " + std::string(call.op->dim_names[dim]) +
                   " is " + std::to_string(call.dims[dim]) + "; needed: from 1 to " +
                   std::to_string(kMostKernel));
}

void check_length(const OpCall& call, std::size_t dim, std::int64_t least) {
  if (call.dims[dim] >= least) return;
  throw ShapeError("[" + std::string(call.op->name) + "] " + std::string(call.op->dim_names[dim]) +
                   " is " + std::to_string(call.dims[dim]) + "; needed: at least " +
                   std::to_string(least));
}

}  // namespace

std::int64_t WindowAxis::first_window(std::int64_t tap) const {
  return std::clamp<std::int64_t>(divided_up(padding - tap, stride), 0, windows());
}

std::int64_t WindowAxis::last_window(std::int64_t tap) const {
  return std::clamp<std::int64_t>(divided_up(length + padding - tap, stride), 0, windows());
}

std::int64_t WindowAxis::pairs() const {
  std::int64_t count = 0;
  for (std::int64_t t = 0; t < kernel; ++t) {
    count += std::max<std::int64_t>(0, last_window(t) - first_window(t));
  }
  return count;
}

std::int64_t WindowAxis::covered() const {
  // Windows that don't overlap meet each position once; others leave no gap between them.
  if (stride >= kernel) return pairs();
  return std::min(length, position(windows() - 1, kernel));
}

std::int64_t WindowAxis::taps() const {
  std::int64_t count = 0;
  for (std::int64_t t = 0; t < kernel; ++t) count += last_window(t) > first_window(t) ? 1 : 0;
  return count;
}

WindowAxis window_axis(const OpCall& call, std::size_t length_dim, std::size_t kernel_dim,
                       double stride, double padding) {
  const std::int64_t kernel = call.dims[kernel_dim];
  check_kernel(call, kernel_dim);
  check_attribute(call, "stride", stride, 1, kMostStride);
  check_attribute(call, "padding", padding, 0, double(kernel - 1));
  const WindowAxis axis{call.dims[length_dim], kernel, std::int64_t(stride), std::int64_t(padding)};
  check_length(call, length_dim, std::max<std::int64_t>(0, kernel - 2 * axis.padding));
  return axis;
}

}  // namespace siliconprof
