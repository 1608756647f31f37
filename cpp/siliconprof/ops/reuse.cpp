#include "siliconprof/ops/reuse.h"

#include <algorithm>
#include <array>

namespace siliconprof {
namespace {

constexpr std::size_t kMostOperands = kMaxInputs + kMaxOutputs;

struct Operand {
  std::size_t owner;
  double read_bytes = 0.0;
  double written_bytes = 0.0;

  double bytes() const { return std::max(read_bytes, written_bytes); }
  double moved_bytes() const { return read_bytes + written_bytes; }
};

/// The distinct memory of a call: an output in place of an input is one operand.
class Operands {
 public:
  Operands(const Trace& trace, const OpCall& call) : trace_(trace) {
    for (const TensorId id : call.inputs) add(id, &Operand::read_bytes);
    for (const TensorId id : call.outputs) add(id, &Operand::written_bytes);
  }
  const Operand* begin() const { return operands_.data(); }
  const Operand* end() const { return operands_.data() + count_; }
  double bytes() const {
    double sum = 0.0;
    for (const Operand& operand : *this) sum += operand.bytes();
    return sum;
  }

 private:
  void add(TensorId id, double Operand::*direction) {
    if (id == kNoTensor) return;
    const auto owner = std::size_t(trace_.owner(id));
    const auto bytes = double(trace_.tensors()[std::size_t(id)].bytes());
    std::size_t i = 0;
    while (i < count_ && operands_[i].owner != owner) ++i;
    if (i == count_) operands_[count_++] = {owner};
    operands_[i].*direction = std::max(operands_[i].*direction, bytes);
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
      const auto moved = double(trace.calls()[i].op->cost(trace.calls()[i]).bytes());
      double far = 0.0;
      // A gather touches some rows of a large table.
      const double memory = std::min(operands.bytes(), moved);
      const double end = touched + memory;
      for (const Operand& operand : operands) {
        double& used = last_used[operand.owner];
        far += operand.moved_bytes() * lost_part(touched - used, cache_bytes);
        used = operand.written_bytes > 0.0 ? std::max(touched, end - operand.bytes()) : touched;
      }
      far = std::min(far, moved);
      const bool is_large = memory > cache_bytes;
      traffic[i] = {moved, far, is_large ? moved : 0.0, is_large ? far : 0.0};
      touched = end;
    }
  }
  return traffic;
}

}  // namespace siliconprof
