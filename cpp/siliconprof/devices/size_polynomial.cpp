#include "siliconprof/devices/size_polynomial.h"

#include <algorithm>
#include <string>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

// The ends, and the middle where `count` is three and there is one.
std::vector<std::int64_t> spread(std::int64_t least, std::int64_t most, int count) {
  std::vector<std::int64_t> values{least};
  if (count > 2 && most - least > 1) values.push_back(least + (most - least) / 2);
  if (most > least) values.push_back(most);
  return values;
}

// Factors of 1, x, x² of the polynomial through the points, by Newton's divided differences, which
// are whole where the factors are.
std::optional<std::array<std::int64_t, 3>> interpolate(const std::vector<std::int64_t>& x,
                                                       std::vector<std::int64_t> y) {
  for (std::size_t order = 1; order < x.size(); ++order) {
    for (std::size_t i = x.size() - 1; i >= order; --i) {
      const std::int64_t rise = y[i] - y[i - 1];
      const std::int64_t run = x[i] - x[i - order];
      if (rise % run != 0) return std::nullopt;
      y[i] = rise / run;
    }
  }
  y.resize(3, 0);
  // y0 + y1 (x - x0) + y2 (x - x0)(x - x1)
  const std::int64_t x0 = x[0];
  const std::int64_t x1 = x.size() > 1 ? x[1] : 0;
  return std::array{y[0] - y[1] * x0 + y[2] * x0 * x1, y[1] - y[2] * (x0 + x1), y[2]};
}

bool is_among(const std::vector<StepSize>& sizes, const StepSize& size) {
  return std::find(sizes.begin(), sizes.end(), size) != sizes.end();
}

}  // namespace

bool SizePolynomial::is_constant() const {
  return std::all_of(factors.begin() + 1, factors.end(), [](std::int64_t f) { return f == 0; });
}

SizeProbes::SizeProbes(const StepSize& least, const StepSize& most) {
  if (least.batch < 1 || least.length < 1 || most.batch < least.batch ||
      most.length < least.length) {
    throw ArgumentError("[sweep] batches " + std::to_string(least.batch) + " to " +
                        std::to_string(most.batch) + ", lengths " + std::to_string(least.length) +
                        " to " + std::to_string(most.length) + "; needed: 1 or more, in order");
  }
  batches_ = spread(least.batch, most.batch, 2);
  lengths_ = spread(least.length, most.length, 3);
  for (const std::int64_t batch : batches_) {
    for (const std::int64_t length : lengths_) sizes_.push_back({batch, length});
  }
  // A third of the way, where nothing is rounded to by the halves above.
  const StepSize inside{least.batch + (most.batch - least.batch + 2) / 3,
                        least.length + (most.length - least.length + 2) / 3};
  if (!is_among(sizes_, inside)) other_ = inside;
}

std::optional<SizePolynomial> SizeProbes::fit(const std::vector<std::int64_t>& values) const {
  std::array<std::vector<std::int64_t>, 3> by_power;  // factors of 1, t, t² at each batch
  for (std::size_t b = 0; b < batches_.size(); ++b) {
    const auto row = values.begin() + std::ptrdiff_t(b * lengths_.size());
    const auto found = interpolate(lengths_, {row, row + std::ptrdiff_t(lengths_.size())});
    if (!found) return std::nullopt;
    for (std::size_t power = 0; power < 3; ++power) by_power[power].push_back((*found)[power]);
  }
  SizePolynomial polynomial;
  for (std::size_t power = 0; power < 3; ++power) {
    const auto found = interpolate(batches_, by_power[power]);
    if (!found) return std::nullopt;
    polynomial.factors[power] = (*found)[0];
    polynomial.factors[3 + power] = (*found)[1];
  }
  return polynomial;
}

}  // namespace siliconprof
