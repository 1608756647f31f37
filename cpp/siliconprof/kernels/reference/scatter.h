#pragma once

// The scatters, their backward ops and those of embedding by definition, row by row; Acc and step
// as in matmul.h, shapes as in ops/scatter.h.

#include <array>
#include <cstddef>
#include <vector>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/kernels/reference/order.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

/// For each row, the updates that go there, in order.
class UpdatesOfRows {
 public:
  template <class Index>
  UpdatesOfRows(const OpCall& call, Index&& index) : starts_(std::size_t(call.dims[0]) + 1) {
    const std::int64_t count = call.dims[1];
    std::vector<std::int32_t> rows;
    for (std::int64_t i = 0; i < count; ++i) {
      rows.push_back(index[i]);
      ++starts_[std::size_t(rows.back()) + 1];
    }
    for (std::size_t r = 1; r < starts_.size(); ++r) starts_[r] += starts_[r - 1];
    std::vector<std::int64_t> next(starts_.begin(), starts_.end() - 1);
    updates_.resize(std::size_t(count));
    for (std::int64_t i = 0; i < count; ++i) {
      updates_[std::size_t(next[std::size_t(rows[std::size_t(i)])]++)] = i;
    }
  }
  const std::int64_t* begin(std::int64_t row) const {
    return updates_.data() + starts_[std::size_t(row)];
  }
  const std::int64_t* end(std::int64_t row) const {
    return updates_.data() + starts_[std::size_t(row) + 1];
  }
  bool any(std::int64_t row) const { return begin(row) != end(row); }
  std::int64_t last(std::int64_t row) const { return *(end(row) - 1); }

 private:
  std::vector<std::int64_t> starts_;
  std::vector<std::int64_t> updates_;
};

/// Bit for bit: no arithmetic scalar in between. x and y may be one.
template <class X, class Index, class U, class Y, class Step>
void scatter(const OpCall& call, X&& x, Index&& index, U&& updates, Y&& y, const Step& step) {
  const UpdatesOfRows rows(call, index);
  const std::int64_t columns = call.dims[2];
  for (std::int64_t r = 0; r < call.dims[0]; ++r) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::int64_t at = r * columns + j;
      if (rows.any(r)) {
        store(y, at, static_cast<Element<U>>(updates[rows.last(r) * columns + j]));
      } else {
        store(y, at, static_cast<Element<X>>(x[at]));
      }
    }
    step(columns);
  }
}

template <class Acc, class Index, class Dy, class Dx, class Du, class Step>
void scatter_backward(const OpCall& call, Index&& index, Dy&& dy, Dx&& dx, Du&& du,
                      const Step& step) {
  const UpdatesOfRows rows(call, index);
  const std::int64_t columns = call.dims[2];
  for (std::int64_t r = 0; r < call.dims[0]; ++r) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::int64_t at = r * columns + j;
      const Element<Dy> slope = dy[at];
      for (const auto* i = rows.begin(r); i != rows.end(r); ++i)
        store(du, *i * columns + j, Acc(0));
      if (rows.any(r)) {
        store(dx, at, Acc(0));
        store(du, rows.last(r) * columns + j, slope);
      } else {
        store(dx, at, slope);
      }
    }
    step(columns * (1 + rows.end(r) - rows.begin(r)));
  }
}

/// Added in order.
template <class Acc, class U, class Index, class Y, class Step>
void scatter_sum(const OpCall& call, U&& updates, Index&& index, Y&& y, const Step& step) {
  const UpdatesOfRows rows(call, index);
  const std::int64_t columns = call.dims[2];
  for (std::int64_t r = 0; r < call.dims[0]; ++r) {
    for (std::int64_t j = 0; j < columns; ++j) {
      Acc sum(0);
      for (const auto* i = rows.begin(r); i != rows.end(r); ++i) {
        sum = sum + static_cast<Acc>(updates[*i * columns + j]);
      }
      store(y, r * columns + j, sum);
    }
    step(columns * (1 + rows.end(r) - rows.begin(r)));
  }
}

/// One term more than scatter_sum: what is there already.
template <class Acc, class X, class Index, class U, class Y, class Step>
void embedding_backward_add(const OpCall& call, X&& x, Index&& index, U&& updates, Y&& y,
                            const Step& step) {
  const UpdatesOfRows rows(call, index);
  const std::int64_t columns = call.dims[2];
  for (std::int64_t r = 0; r < call.dims[0]; ++r) {
    for (std::int64_t j = 0; j < columns; ++j) {
      Acc sum = static_cast<Acc>(x[r * columns + j]);
      for (const auto* i = rows.begin(r); i != rows.end(r); ++i) {
        sum = sum + static_cast<Acc>(updates[*i * columns + j]);
      }
      store(y, r * columns + j, sum);
    }
    step(columns * (1 + rows.end(r) - rows.begin(r)));
  }
}

template <class Acc, class U, class Index, class Y, class Step>
void scatter_max(const OpCall& call, U&& updates, Index&& index, Y&& y, const Step& step) {
  const UpdatesOfRows rows(call, index);
  const std::int64_t columns = call.dims[2];
  for (std::int64_t r = 0; r < call.dims[0]; ++r) {
    for (std::int64_t j = 0; j < columns; ++j) {
      Acc largest(0);
      for (const auto* i = rows.begin(r); i != rows.end(r); ++i) {
        const Acc value = static_cast<Acc>(updates[*i * columns + j]);
        if (i == rows.begin(r) || is_larger(value, largest)) largest = value;
      }
      store(y, r * columns + j, largest);
    }
    step(columns * (1 + rows.end(r) - rows.begin(r)));
  }
}

/// An update equals the largest where it isn't smaller; one comparison each.
template <class Acc, class U, class Index, class Y, class Dy, class Du, class Step>
void scatter_max_backward(const OpCall& call, U&& updates, Index&& index, Y&& y, Dy&& dy, Du&& du,
                          const Step& step) {
  const UpdatesOfRows rows(call, index);
  const std::int64_t columns = call.dims[2];
  for (std::int64_t r = 0; r < call.dims[0]; ++r) {
    if (!rows.any(r)) continue;
    for (std::int64_t j = 0; j < columns; ++j) {
      const Acc largest = static_cast<Acc>(y[r * columns + j]);
      const Element<Dy> slope = dy[r * columns + j];
      bool found = false;
      for (const auto* i = rows.begin(r); i != rows.end(r); ++i) {
        const bool equal = !is_larger(largest, static_cast<Acc>(updates[*i * columns + j]));
        if (equal && !found) {
          store(du, *i * columns + j, slope);
        } else {
          store(du, *i * columns + j, Acc(0));
        }
        found = found || equal;
      }
    }
    step(columns * (1 + rows.end(r) - rows.begin(r)));
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 7> kScatterDefinitions{{
    {"scatter",
     [](const OpCall& c, O& o) {
       scatter(c, o.in(0), o.template in_as<std::int32_t>(1), o.in(2), o.out(0), o.step);
     }},
    {"scatter_backward",
     [](const OpCall& c, O& o) {
       scatter_backward<typename O::Acc>(c, o.template in_as<std::int32_t>(0), o.in(1), o.out(0),
                                         o.out(1), o.step);
     }},
    {"scatter_sum",
     [](const OpCall& c, O& o) {
       scatter_sum<typename O::Acc>(c, o.in(0), o.template in_as<std::int32_t>(1), o.out(0),
                                    o.step);
     }},
    {"scatter_max",
     [](const OpCall& c, O& o) {
       scatter_max<typename O::Acc>(c, o.in(0), o.template in_as<std::int32_t>(1), o.out(0),
                                    o.step);
     }},
    {"scatter_max_backward",
     [](const OpCall& c, O& o) {
       scatter_max_backward<typename O::Acc>(c, o.in(0), o.template in_as<std::int32_t>(1), o.in(2),
                                             o.in(3), o.out(0), o.step);
     }},
    {"embedding_backward",
     [](const OpCall& c, O& o) {
       scatter_sum<typename O::Acc>(c, o.in(1), o.template in_as<std::int32_t>(0), o.out(0),
                                    o.step);
     }},
    {"embedding_backward_add",
     [](const OpCall& c, O& o) {
       embedding_backward_add<typename O::Acc>(c, o.in(0), o.template in_as<std::int32_t>(1),
                                               o.in(2), o.out(0), o.step);
     }},
}};

}  // namespace siliconprof::reference
