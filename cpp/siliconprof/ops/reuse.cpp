#include "siliconprof/ops/reuse.h"

#include <algorithm>
#include <array>

namespace siliconprof {
namespace {

constexpr std::size_t kMostOperands = kMaxInputs + kMaxOutputs;

struct Operand {
  std::size_t owner;
  double bytes;
};

/// The distinct memory of a call: an output in place of an input counts once.
class Operands {
 public:
  Operands(const Trace& trace, const OpCall& call) : trace_(trace) {
    for (const TensorId id : call.inputs) add(id);
    for (const TensorId id : call.outputs) add(id);
  }
  const Operand* begin() const { return operands_.data(); }
  const Operand* end() const { return operands_.data() + count_; }
  double bytes() const {
    double sum = 0.0;
    for (const Operand& operand : *this) sum += operand.bytes;
    return sum;
  }

 private:
  void add(TensorId id) {
    if (id == kNoTensor) return;
    const auto owner = std::size_t(trace_.owner(id));
    const auto bytes = double(trace_.tensors()[std::size_t(id)].bytes());
    for (std::size_t i = 0; i < count_; ++i) {
      if (operands_[i].owner != owner) continue;
      operands_[i].bytes = std::max(operands_[i].bytes, bytes);
      return;
    }
    operands_[count_++] = {owner, bytes};
  }

  const Trace& trace_;
  std::array<Operand, kMostOperands> operands_{};
  std::size_t count_ = 0;
};

double lost_part(double since_bytes, double cache_bytes) {
  if (since_bytes <= 0.0) return 0.0;
  const double ratio = cache_bytes / since_bytes;
  return 1.0 / (1.0 + ratio * ratio * ratio);
}

}  // namespace

std::vector<double> far_bytes(const Trace& trace, double cache_bytes) {
  std::vector<double> last_used(trace.tensors().size(), 0.0);  // bytes touched by then
  std::vector<double> far(trace.calls().size(), 0.0);
  double touched = 0.0;
  for (int run = 0; run < 2; ++run) {  // the first one says what the second finds near
    for (std::size_t i = 0; i < far.size(); ++i) {
      const Operands operands(trace, trace.calls()[i]);
      // A gather touches some rows of a large table.
      const double moved =
          std::min(operands.bytes(), double(trace.calls()[i].op->cost(trace.calls()[i]).bytes()));
      far[i] = 0.0;
      for (const auto& [owner, bytes] : operands) {
        const double since = touched - last_used[owner] + moved;
        far[i] += bytes * lost_part(since, cache_bytes);
      }
      far[i] = std::min(far[i], moved);
      touched += moved;
      for (const auto& [owner, bytes] : operands) last_used[owner] = touched;
    }
  }
  return far;
}

}  // namespace siliconprof
