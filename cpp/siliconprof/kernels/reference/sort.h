#pragma once

// Sort along an axis by definition, a stable merge sort, and its gradient; Acc and step as in
// matmul.h, shapes as in ops/sort.h.

#include <array>
#include <cstddef>
#include <vector>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/kernels/reference/order.h"
#include "siliconprof/ops/op.h"

namespace siliconprof::reference {

template <class Acc>
class MergeSort {
 public:
  MergeSort(std::vector<Acc> values, bool descending)
      : values_(std::move(values)),
        descending_(descending),
        order_(values_.size()),
        merged_(values_.size()) {
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = std::int32_t(i);
    sort(0, order_.size());
  }
  const std::vector<std::int32_t>& order() const { return order_; }

 private:
  bool goes_before(std::int32_t a, std::int32_t b) const {
    const Acc& x = values_[std::size_t(a)];
    const Acc& y = values_[std::size_t(b)];
    return descending_ ? is_larger(x, y) : is_larger(y, x);
  }

  void sort(std::size_t begin, std::size_t end) {
    if (end - begin < 2) return;
    const std::size_t middle = begin + (end - begin + 1) / 2;
    sort(begin, middle);
    sort(middle, end);
    std::size_t a = begin;
    std::size_t b = middle;
    for (std::size_t to = begin; to + 1 < end; ++to) {
      // One comparison for each but the last, also when a side has run out: the same number for
      // any values.
      const std::size_t left = a < middle ? a : middle - 1;
      const std::size_t right = b < end ? b : end - 1;
      const bool second = goes_before(order_[right], order_[left]);
      merged_[to] = a == middle || (b < end && second) ? order_[b++] : order_[a++];
    }
    merged_[end - 1] = order_[a < middle ? a : b];
    for (std::size_t i = begin; i < end; ++i) order_[i] = merged_[i];
  }

  std::vector<Acc> values_;
  bool descending_;
  std::vector<std::int32_t> order_;
  std::vector<std::int32_t> merged_;
};

template <class Acc, class X, class Values, class Order, class Step>
void sort(const OpCall& call, X&& x, Values&& values, Order&& order, const Step& step) {
  const auto [outer, size, inner] = first<3>(call.dims);
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < inner; ++i) {
      const std::int64_t first = o * size * inner + i;
      std::vector<Acc> column;
      column.reserve(std::size_t(size));
      for (std::int64_t r = 0; r < size; ++r) {
        column.push_back(static_cast<Acc>(x[first + r * inner]));
      }
      const MergeSort<Acc> sorted(std::move(column), is_set(call.attributes[0]));
      for (std::int64_t r = 0; r < size; ++r) {
        const std::int32_t from = sorted.order()[std::size_t(r)];
        store(values, first + r * inner, static_cast<Element<X>>(x[first + from * inner]));
        order[first + r * inner] = from;
      }
      step(20 * size);
    }
  }
}

template <class Acc, class Order, class Dy, class Dx, class Step>
void sort_backward(const OpCall& call, Order&& order, Dy&& dy, Dx&& dx, const Step& step) {
  const auto [outer, size, inner] = first<3>(call.dims);
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < inner; ++i) {
      const std::int64_t first = o * size * inner + i;
      for (std::int64_t r = 0; r < size; ++r) store(dx, first + r * inner, Acc(0));
      for (std::int64_t r = 0; r < size; ++r) {
        const std::int64_t to = static_cast<std::int32_t>(order[first + r * inner]);
        store(dx, first + to * inner, static_cast<Element<Dy>>(dy[first + r * inner]));
      }
      step(2 * size);
    }
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 2> kSortDefinitions{{
    {"sort",
     [](const OpCall& c, O& o) {
       sort<typename O::Acc>(c, o.in(0), o.out(0), o.template out_as<std::int32_t>(1), o.step);
     }},
    {"sort_backward",
     [](const OpCall& c, O& o) {
       sort_backward<typename O::Acc>(c, o.template in_as<std::int32_t>(0), o.in(1), o.out(0),
                                      o.step);
     }},
}};

}  // namespace siliconprof::reference
