#include "siliconprof/ops/reuse.h"

#include <algorithm>
#include <array>

namespace siliconprof {
namespace {

constexpr std::size_t kMostOperands = kMaxInputs + kMaxOutputs;

struct Operand {
  std::size_t owner;
  double bytes;
  bool is_output;
};

/// The distinct memory of a call: an output in place of an input counts once.
class Operands {
 public:
  Operands(const Trace& trace, const OpCall& call) : trace_(trace) {
    for (const TensorId id : call.inputs) add(id, false);
    for (const TensorId id : call.outputs) add(id, true);
  }
  const Operand* begin() const { return operands_.data(); }
  const Operand* end() const { return operands_.data() + count_; }
  double bytes() const {
    double sum = 0.0;
    for (const Operand& operand : *this) sum += operand.bytes;
    return sum;
  }

 private:
  void add(TensorId id, bool is_output) {
    if (id == kNoTensor) return;
    const auto owner = std::size_t(trace_.owner(id));
    const auto bytes = double(trace_.tensors()[std::size_t(id)].bytes());
    for (std::size_t i = 0; i < count_; ++i) {
      if (operands_[i].owner != owner) continue;
      operands_[i].bytes = std::max(operands_[i].bytes, bytes);
      operands_[i].is_output |= is_output;
      return;
    }
    operands_[count_++] = {owner, bytes, is_output};
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

std::vector<CallTraffic> call_traffic(const Trace& trace, double cache_bytes) {
  std::vector<double> last_used(trace.tensors().size(), 0.0);  // bytes touched by then
  std::vector<CallTraffic> traffic(trace.calls().size());
  double touched = 0.0;
  for (int run = 0; run < 2; ++run) {  // the first one says what the second finds near
    for (std::size_t i = 0; i < traffic.size(); ++i) {
      const Operands operands(trace, trace.calls()[i]);
      // A gather touches some rows of a large table.
      const double moved =
          std::min(operands.bytes(), double(trace.calls()[i].op->cost(trace.calls()[i]).bytes()));
      double far = 0.0;
      const double end = touched + moved;
      for (const Operand& operand : operands) {
        double& used = last_used[operand.owner];
        far += operand.bytes * lost_part(touched - used, cache_bytes);
        used = operand.is_output ? std::max(touched, end - operand.bytes) : touched;
      }
      traffic[i] = {moved, std::min(far, moved)};
      touched = end;
    }
  }
  return traffic;
}

}  // namespace siliconprof
