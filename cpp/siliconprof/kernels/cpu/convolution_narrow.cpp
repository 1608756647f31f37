#include "siliconprof/kernels/cpu/convolution_narrow.h"

#include <algorithm>
#include <vector>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/gemm_kernels.h"
#include "siliconprof/kernels/cpu/gemm_pieces.h"
#include "siliconprof/kernels/cpu/pieces.h"

namespace siliconprof::cpu {
namespace {

constexpr std::int64_t kColumns = 8;
// How far ahead data is fetched: what memory takes to answer.
constexpr std::int64_t kAheadElements = 256;

/// A column's weight for one of a plan's terms, numbered as its runs number them.
struct Weights {
  const ConvolutionPlan& plan;
  const float* weight;

  float operator()(std::int64_t term, std::int64_t column) const {
    if (column >= plan.columns) return 0.0F;
    if (!plan.reversed) return weight[column * plan.taps * plan.depth + term];
    const std::int64_t tap = plan.taps - 1 - term / plan.depth;
    const std::int64_t output = term % plan.depth;
    return weight[(output * plan.taps + tap) * plan.columns + column];
  }
};

void add_pairs(const Weights& weights, const GemmRun& run, std::vector<float>& to) {
  for (std::int64_t k = 0; k < run.k; k += 2) {
    for (std::int64_t j = 0; j < kColumns; ++j) {
      to.push_back(weights(run.b_at + k, j));
      to.push_back(k + 1 < run.k ? weights(run.b_at + k + 1, j) : 0.0F);
    }
  }
}

void add_steps(const Weights& weights, const GemmRun& run, std::int64_t step,
               std::vector<float>& to) {
  for (std::int64_t first = 0; first < run.k;) {
    const std::int64_t left = run.k - first;
    const std::int64_t steps = step > 0 ? std::min(left / step, kNarrowSteps) : 0;
    const std::int64_t terms = steps > 0 ? step : left;
    for (std::int64_t i = 0; i < terms; ++i) {
      for (std::int64_t t = 0; t < std::max<std::int64_t>(steps, 1); ++t) {
        for (std::int64_t j = 0; j < kColumns; ++j) {
          to.push_back(weights(run.b_at + first + t * step + i, j));
        }
      }
    }
    first += std::max<std::int64_t>(steps, 1) * terms;
  }
}

/// For each block as its runs need them.
std::vector<std::vector<float>> narrow_weights(const ConvolutionPlan& plan, const float* weight) {
  const bool pairs = gemm_kernels().narrow.terms == NarrowTerms::Pairs;
  const Weights weights{plan, weight};
  std::vector<std::vector<float>> packed;
  for (const GridBlock& block : plan.blocks) {
    std::vector<float>& to = packed.emplace_back();
    const std::int64_t step = block.input_steps.along(block.axis);
    for (const GemmRun& run : block.runs) {
      pairs ? add_pairs(weights, run, to) : add_steps(weights, run, step, to);
    }
  }
  return packed;
}

}  // namespace

bool is_narrow(std::int64_t columns, std::size_t element_bytes) {
  return element_bytes == sizeof(float) && columns <= kColumns && gemm_kernels().narrow.rows > 0;
}

void convolve_narrow(const KernelCall& k, const ConvolutionPlan& plan, const float* in,
                     const float* weight, float* out) {
  constexpr std::int64_t kLine = 16;
  const GemmKernelSet& set = gemm_kernels();
  const auto packed = narrow_weights(plan, weight);
  const bool stream = exceeds_cache(k) && plan.columns == kColumns;
  run_by_flops(k, plan.stretches, plan.flops_of_stretch(),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t index = begin; index < end; ++index) {
                   Stretch stretch;
                   const GridBlock& block = plan.find(index, stretch);
                   NarrowTile tile{in + stretch.input,
                                   stretch.input_step,
                                   packed[std::size_t(&block - plan.blocks.data())].data(),
                                   block.runs.data(),
                                   std::int64_t(block.runs.size()),
                                   out + stretch.output,
                                   stretch.output_step,
                                   plan.columns};
                   // The last of the rows under the windows is the one that was not read before.
                   const std::int64_t newest =
                       block.runs.empty() ? 0 : block.runs.back().a_at + kAheadElements;
                   const bool fetch = block.axis == TileAxis::Column;
                   const std::int64_t most = rounded_up(block.rows, 2);  // two results fill a line
                   for (std::int64_t left = stretch.results; left > 0; left -= most) {
                     const std::int64_t rows = std::min(left, most);
                     tile.stream = stream && stretch.output_step == kColumns &&
                                   reinterpret_cast<std::uintptr_t>(tile.c) % 64 == 0;
                     tile.ahead = tile.a + newest;
                     tile.ahead_lines = fetch ? divided_up(rows * stretch.input_step, kLine) : 0;
                     set.narrow.by_rows[std::size_t(rows - 1)](tile);
                     tile.a += rows * stretch.input_step;
                     tile.c += rows * stretch.output_step;
                   }
                 }
                 if (stream) set.fence();
               });
}

}  // namespace siliconprof::cpu
