#include "siliconprof/kernels/cpu/softmax.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/vector_kernels.h"

namespace siliconprof::cpu {
namespace {

// Longer rows are shared by the threads, part by part: 256 KiB of float32, what a core's own cache
// holds until it writes.
constexpr std::int64_t kPart = 65536;

struct Problem {
  const KernelCall& k;
  const SoftmaxKernels& kernels;
  std::int64_t outer;
  std::int64_t size;
  std::int64_t inner;
  std::int64_t element_bytes;
  bool stream;

  explicit Problem(const KernelCall& call)
      : k(call),
        kernels(vector_kernels().elements(call.call.dtype).softmax),
        outer(call.call.dims[0]),
        size(call.call.dims[1]),
        inner(call.call.dims[2]),
        element_bytes(size_bytes(call.call.dtype)),
        stream(exceeds_cache(call)) {}

  const char* in(std::size_t i, std::int64_t at) const {
    return k.inputs[i].as<const char>() + at * element_bytes;
  }
  std::int64_t parts() const { return divided_up(size, kPart); }
  /// Runs shorter than this leave lines half written, which is slow past the caches.
  bool streams(std::int64_t columns) const { return stream && columns * element_bytes >= 1024; }
  char* out(std::int64_t at) const { return k.outputs[0].as<char>() + at * element_bytes; }
};

/// Calls body(first element, columns) for each strip of columns.
template <class Body>
void for_strips(const Problem& p, const Body& body) {
  // As wide as leaves a strip in a core's own cache for the second pass, if that is possible.
  const std::int64_t width =
      std::clamp<std::int64_t>(kPart / p.size / 64 * 64, 128, kSoftmaxColumns);
  const std::int64_t strips = divided_up(p.inner, width);
  const std::int64_t bytes = p.size * std::min(width, p.inner) * p.element_bytes;
  run_in_pieces(p.k, p.outer * strips, bytes, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t column = task % strips * width;
      body(task / strips * p.size * p.inner + column, std::min(width, p.inner - column));
    }
  });
}

/// Calls body(part, first element, elements) for the parts of row o, numbered through all rows.
template <class Body>
void for_parts(const Problem& p, std::int64_t o, std::int64_t begin, std::int64_t end,
               const Body& body) {
  for (std::int64_t part = begin; part < end; ++part) {
    const std::int64_t at = part * kPart;
    body(std::size_t(o * p.parts() + part), o * p.size + at, std::min(kPart, p.size - at));
  }
}

/// For each row: first(part...) on its parts, then combine(row, first part), then second(part...).
/// A thread takes whole rows, where there is one for each, or else its share of every row.
template <class First, class Combine, class Second>
void for_long_rows(const Problem& p, const First& first, const Combine& combine,
                   const Second& second) {
  const std::int64_t parts = p.parts();
  const std::int64_t row_bytes = p.size * p.element_bytes;
  if (p.outer >= p.k.threads && row_bytes <= kBytesBetweenPolls) {
    run_in_pieces(p.k, p.outer, row_bytes, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t o = begin; o < end; ++o) {
        for_parts(p, o, 0, parts, first);
        combine(std::size_t(o), std::size_t(o * parts));
        // Backwards: a core's own cache has the last parts still.
        for (std::int64_t part = parts; part-- > 0;) for_parts(p, o, part, part + 1, second);
      }
    });
    return;
  }
  const std::int64_t part_bytes = kPart * p.element_bytes;
  for (std::int64_t o = 0; o < p.outer; ++o) {
    if (o > 0 && p.k.poll) p.k.poll();
    run_in_pieces(p.k, parts, part_bytes, [&](std::int64_t begin, std::int64_t end) {
      for_parts(p, o, begin, end, first);
    });
    combine(std::size_t(o), std::size_t(o * parts));
    run_in_pieces(p.k, parts, part_bytes, [&](std::int64_t begin, std::int64_t end) {
      for_parts(p, o, begin, end, second);
    });
  }
}

struct Part {
  double reference;
  double total;
};

Part combined(std::span<const Part> parts) {
  Part all = parts.front();
  for (const Part& part : parts) all.reference = std::max(all.reference, part.reference);
  all.total = 0;
  for (const Part& part : parts) {
    all.total += part.total * std::exp(part.reference - all.reference);
  }
  return all;
}

void softmax_long_rows(const Problem& p) {
  const auto count = std::size_t(p.parts());
  std::vector<Part> parts(std::size_t(p.outer) * count);
  std::vector<Part> rows(std::size_t(p.outer));
  for_long_rows(
      p,
      [&](std::size_t part, std::int64_t at, std::int64_t n) {
        p.kernels.sum(p.in(0, at), n, &parts[part].reference, &parts[part].total);
      },
      [&](std::size_t row, std::size_t part) {
        rows[row] = combined(std::span(parts).subspan(part, count));
      },
      [&](std::size_t part, std::int64_t at, std::int64_t n) {
        const Part& row = rows[part / count];
        p.kernels.write(p.in(0, at), p.out(at), n, row.reference, row.total, p.stream);
      });
}

void softmax_short_rows(const Problem& p) {
  const std::int64_t bytes = p.size * p.element_bytes;
  run_in_pieces(p.k, p.outer, bytes, [&](std::int64_t begin, std::int64_t end) {
    if (p.size <= kSoftmaxRow) {
      const std::int64_t at = begin * p.size;
      p.kernels.rows(p.in(0, at), p.out(at), end - begin, p.size, p.stream);
      return;
    }
    for (std::int64_t at = begin * p.size; at < end * p.size; at += p.size) {
      Part row{};
      p.kernels.sum(p.in(0, at), p.size, &row.reference, &row.total);
      p.kernels.write(p.in(0, at), p.out(at), p.size, row.reference, row.total, p.stream);
    }
  });
}

void gradient_of_long_rows(const Problem& p) {
  const auto count = std::size_t(p.parts());
  std::vector<double> dots(std::size_t(p.outer) * count);
  std::vector<double> rows(std::size_t(p.outer));
  for_long_rows(
      p,
      [&](std::size_t part, std::int64_t at, std::int64_t n) {
        dots[part] = p.kernels.dot(p.in(0, at), p.in(1, at), n);
      },
      [&](std::size_t row, std::size_t part) {
        for (std::size_t i = part; i < part + count; ++i) rows[row] += dots[i];
      },
      [&](std::size_t part, std::int64_t at, std::int64_t n) {
        const double dot = rows[part / count];
        p.kernels.gradient(p.in(0, at), p.in(1, at), dot, p.out(at), n, p.stream);
      });
}

void gradient_of_short_rows(const Problem& p) {
  const std::int64_t bytes = p.size * p.element_bytes;
  run_in_pieces(p.k, p.outer, bytes, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t at = begin * p.size;
    p.kernels.gradient_rows(p.in(0, at), p.in(1, at), p.out(at), end - begin, p.size, p.stream);
  });
}

}  // namespace

void run_softmax(const KernelCall& k) {
  if (done_with_nothing(k)) return;
  const Problem p(k);
  if (p.inner == 1) return p.size > kPart ? softmax_long_rows(p) : softmax_short_rows(p);
  for_strips(p, [&](std::int64_t at, std::int64_t columns) {
    p.kernels.columns(p.in(0, at), p.out(at), p.inner, p.size, columns, p.streams(columns));
  });
}

void run_softmax_backward(const KernelCall& k) {
  if (done_with_nothing(k)) return;
  const Problem p(k);
  if (p.inner == 1) return p.size > kPart ? gradient_of_long_rows(p) : gradient_of_short_rows(p);
  for_strips(p, [&](std::int64_t at, std::int64_t columns) {
    p.kernels.gradient_columns(p.in(0, at), p.in(1, at), p.out(at), p.inner, p.size, columns,
                               p.streams(columns));
  });
}

}  // namespace siliconprof::cpu
