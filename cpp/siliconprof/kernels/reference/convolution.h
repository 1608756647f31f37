#pragma once

// Convolution and its gradients by their definitions, conv1d as conv2d on planes that are one row
// high; Acc and step as in matmul.h.

#include <array>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/convolution.h"

namespace siliconprof::reference {

/// Where the elements of a convolution lie.
struct ConvolutionPlaces {
  Convolution c;

  std::int64_t x(std::int64_t b, std::int64_t i, std::int64_t j) const {
    return ((b * c.rows.length + i) * c.columns.length + j) * c.channels;
  }
  std::int64_t weight(std::int64_t o, std::int64_t s, std::int64_t t) const {
    return ((o * c.rows.kernel + s) * c.columns.kernel + t) * c.channels;
  }
  std::int64_t y(std::int64_t b, std::int64_t p, std::int64_t q) const {
    return ((b * c.rows.windows() + p) * c.columns.windows() + q) * c.outputs;
  }
};

/// Calls body(i, j, k) for all of [0, n) × [0, m) × [0, l).
template <class Body>
void for_each(std::int64_t n, std::int64_t m, std::int64_t l, const Body& body) {
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < m; ++j) {
      for (std::int64_t k = 0; k < l; ++k) body(i, j, k);
    }
  }
}

/// Calls body(tap, position) for the taps of a window that fall on the data.
template <class Body>
void for_taps(const WindowAxis& axis, std::int64_t window, const Body& body) {
  for (std::int64_t tap = 0; tap < axis.kernel; ++tap) {
    const std::int64_t position = axis.position(window, tap);
    if (axis.has(position)) body(tap, position);
  }
}

/// Calls body(tap, window) for the windows that cover a position.
template <class Body>
void for_windows(const WindowAxis& axis, std::int64_t position, const Body& body) {
  for (std::int64_t tap = 0; tap < axis.kernel; ++tap) {
    const std::int64_t start = position + axis.padding - tap;
    if (start < 0 || start % axis.stride != 0) continue;
    const std::int64_t window = start / axis.stride;
    if (window < axis.windows()) body(tap, window);
  }
}

template <class Acc, class X, class W, class Y, class Step>
void convolution(const OpCall& call, X&& x, W&& weight, Y&& y, const Step& step) {
  const ConvolutionPlaces at{convolution_of(call)};
  const Convolution& c = at.c;
  for_each(c.batch, c.rows.windows(), c.columns.windows(),
           [&](std::int64_t b, std::int64_t p, std::int64_t q) {
             for (std::int64_t o = 0; o < c.outputs; ++o) {
               Acc sum(0);
               for_taps(c.rows, p, [&](std::int64_t s, std::int64_t i) {
                 for_taps(c.columns, q, [&](std::int64_t t, std::int64_t j) {
                   for (std::int64_t k = 0; k < c.channels; ++k) {
                     sum = sum + static_cast<Acc>(x[at.x(b, i, j) + k]) *
                                     static_cast<Acc>(weight[at.weight(o, s, t) + k]);
                   }
                   step(c.channels);
                 });
               });
               store(y, at.y(b, p, q) + o, sum);
             }
           });
}

template <class Acc, class W, class Dy, class Dx, class Step>
void convolution_data_backward(const OpCall& call, W&& weight, Dy&& dy, Dx&& dx, const Step& step) {
  const ConvolutionPlaces at{convolution_of(call)};
  const Convolution& c = at.c;
  for_each(c.batch, c.rows.length, c.columns.length,
           [&](std::int64_t b, std::int64_t i, std::int64_t j) {
             for (std::int64_t k = 0; k < c.channels; ++k) {
               Acc sum(0);
               for_windows(c.rows, i, [&](std::int64_t s, std::int64_t p) {
                 for_windows(c.columns, j, [&](std::int64_t t, std::int64_t q) {
                   for (std::int64_t o = 0; o < c.outputs; ++o) {
                     sum = sum + static_cast<Acc>(dy[at.y(b, p, q) + o]) *
                                     static_cast<Acc>(weight[at.weight(o, s, t) + k]);
                   }
                   step(c.outputs);
                 });
               });
               store(dx, at.x(b, i, j) + k, sum);
             }
           });
}

template <class Acc, class X, class Dy, class Dw, class Step>
void convolution_weight_backward(const OpCall& call, X&& x, Dy&& dy, Dw&& dweight,
                                 const Step& step) {
  const ConvolutionPlaces at{convolution_of(call)};
  const Convolution& c = at.c;
  for_each(c.outputs, c.rows.kernel, c.columns.kernel,
           [&](std::int64_t o, std::int64_t s, std::int64_t t) {
             for (std::int64_t k = 0; k < c.channels; ++k) {
               Acc sum(0);
               for_each(c.batch, c.rows.windows(), c.columns.windows(),
                        [&](std::int64_t b, std::int64_t p, std::int64_t q) {
                          const std::int64_t i = c.rows.position(p, s);
                          const std::int64_t j = c.columns.position(q, t);
                          if (!c.rows.has(i) || !c.columns.has(j)) return;
                          sum = sum + static_cast<Acc>(x[at.x(b, i, j) + k]) *
                                          static_cast<Acc>(dy[at.y(b, p, q) + o]);
                        });
               step(c.batch * c.rows.windows() * c.columns.windows());
               store(dweight, at.weight(o, s, t) + k, sum);
             }
           });
}

template <class O>
void run_convolution(const OpCall& c, O& o) {
  convolution<typename O::Acc>(c, o.in(0), o.in(1), o.out(0), o.step);
}
template <class O>
void run_data_backward(const OpCall& c, O& o) {
  convolution_data_backward<typename O::Acc>(c, o.in(0), o.in(1), o.out(0), o.step);
}
template <class O>
void run_weight_backward(const OpCall& c, O& o) {
  convolution_weight_backward<typename O::Acc>(c, o.in(0), o.in(1), o.out(0), o.step);
}

template <class O>
inline constexpr std::array<Definition<O>, 6> kConvolutionDefinitions{{
    {"conv1d", run_convolution<O>},
    {"conv1d_data_backward", run_data_backward<O>},
    {"conv1d_weight_backward", run_weight_backward<O>},
    {"conv2d", run_convolution<O>},
    {"conv2d_data_backward", run_data_backward<O>},
    {"conv2d_weight_backward", run_weight_backward<O>},
}};

}  // namespace siliconprof::reference
