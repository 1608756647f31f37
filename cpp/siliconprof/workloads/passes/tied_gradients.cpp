#include "siliconprof/workloads/passes/tied_gradients.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "siliconprof/ops/liveness.h"
#include "siliconprof/workloads/builder.h"
#include "siliconprof/workloads/passes/trace_copy.h"

namespace siliconprof {
namespace {

/// A sum of two gradients of one table, by the numbers of its calls.
struct Tie {
  std::int32_t product;  // makes the dense term
  std::int32_t embedding;
  std::int32_t sum;
};

class TiedGradients {
 public:
  explicit TiedGradients(const Trace& trace)
      : trace_(trace),
        copy_(trace),
        lives_(lifetimes(trace)),
        reads_(trace.tensors().size(), 0),
        writers_(last_writes(trace)) {
    for (const OpCall& call : trace.calls()) {
      for (const TensorId id : call.inputs) {
        if (id != kNoTensor) ++reads_[std::size_t(trace.owner(id))];
      }
    }
    for (const TensorId id : trace.results()) ++reads_[std::size_t(trace.owner(id))];
  }

  Trace run() {
    const std::vector<Tie> ties = find();
    if (ties.empty()) return trace_;
    TensorId rows = kNoTensor;
    const Tie* tie = ties.data();
    for (std::int32_t i = 0; i < count(); ++i) {
      const bool here = tie != ties.data() + ties.size();
      if (here && i == tie->product) continue;
      copy_.enter_section_of(std::size_t(i));
      if (here && i == tie->sum) {
        copy_.append(call(tie->product));
        add(*tie, rows);
        ++tie;
        continue;
      }
      copy_.append(call(i));
      if (here && i == tie->embedding) rows = gather(*tie, call(i).outputs[0], "dtable.rows");
    }
    return copy_.finish();
  }

 private:
  const OpCall& call(std::int32_t index) const { return trace_.calls()[std::size_t(index)]; }
  std::int32_t count() const { return std::int32_t(trace_.calls().size()); }
  const TensorInfo& info(TensorId id) const { return trace_.tensors()[std::size_t(id)]; }

  /// One after the other, none within another.
  std::vector<Tie> find() const {
    std::vector<Tie> ties;
    for (std::int32_t i = 0; i < count(); ++i) {
      if (call(i).op->name != "embedding_backward") continue;
      const std::optional<Tie> tie = tie_of(i);
      if (tie && (ties.empty() || ties.back().sum < tie->product)) ties.push_back(*tie);
    }
    return ties;
  }

  /// Made once and read once, by a call behind it.
  bool is_term(TensorId owner) const {
    const Lifetime& life = lives_[std::size_t(owner)];
    return reads_[std::size_t(owner)] == 1 && writers_[std::size_t(owner)] == life.first;
  }

  std::optional<Tie> tie_of(std::int32_t embedding) const {
    const auto [words, tokens] = first<2>(call(embedding).dims);
    const TensorId sparse = trace_.owner(call(embedding).outputs[0]);
    if (2 * tokens > words || !is_term(sparse)) return std::nullopt;
    const std::int32_t sum = lives_[std::size_t(sparse)].last;
    if (call(sum).op->name != "add") return std::nullopt;
    const auto& terms = call(sum).inputs;
    const TensorId dense = trace_.owner(trace_.owner(terms[0]) == sparse ? terms[1] : terms[0]);
    const TensorId total = trace_.owner(call(sum).outputs[0]);
    if (!is_term(dense) || total == dense || total == sparse) return std::nullopt;
    const std::int32_t product = lives_[std::size_t(dense)].first;
    if (product > embedding || !may_wait(product, sum)) return std::nullopt;
    return Tie{product, embedding, sum};
  }

  /// Whether a call may run later for less memory: its operands stay as they are and are smaller.
  bool may_wait(std::int32_t product, std::int32_t until) const {
    const OpCall& made = call(product);
    if (made.phase != Phase::Backward || made.outputs[1] != kNoTensor) return false;
    std::int64_t kept_bytes = 0;
    for (const TensorId id : made.inputs) {
      if (id == kNoTensor) continue;
      const TensorId owner = trace_.owner(id);
      if (writers_[std::size_t(owner)] > product) return false;
      const bool kept = !is_persistent(info(owner).role) && lives_[std::size_t(owner)].last < until;
      if (kept) kept_bytes += info(owner).bytes();
    }
    return kept_bytes < info(trace_.owner(made.outputs[0])).bytes();
  }

  /// The rows of the tokens, from a table of `from`.
  TensorId gather(const Tie& tie, TensorId table, const std::string& name) {
    const OpCall& embedding = call(tie.embedding);
    const auto [words, tokens, width] = first<3>(embedding.dims);
    return append_call(copy_.made(), "gather", {words, tokens, width}, embedding.dtype,
                       Phase::Backward, {}, {copy_.id(table), copy_.id(embedding.inputs[0])}, name,
                       Role::Gradient);
  }

  /// The sum, row by row of the tokens: those of one token are alike.
  void add(const Tie& tie, TensorId rows) {
    const OpCall& embedding = call(tie.embedding);
    const auto [words, tokens, width] = first<3>(embedding.dims);
    const TensorId dense = call(tie.product).outputs[0];
    const TensorId before = gather(tie, dense, "drows");
    const TensorId after =
        append_call(copy_.made(), "add", {tokens * width}, embedding.dtype, Phase::Backward, {},
                    {before, rows}, "drows", Role::Gradient);
    const TensorId total = call(tie.sum).outputs[0];
    const TensorId made = append_call(
        copy_.made(), "scatter", {words, tokens, width}, embedding.dtype, Phase::Backward, {},
        {copy_.id(dense), copy_.id(embedding.inputs[0]), after}, info(total).name, Role::Gradient);
    copy_.replace(trace_.owner(total), shaped(copy_.made(), made, info(trace_.owner(total)).shape));
  }

  const Trace& trace_;
  TraceCopy copy_;
  std::vector<Lifetime> lives_;
  std::vector<std::int32_t> reads_;    // calls that read each owner, one more for a result
  std::vector<std::int32_t> writers_;  // the last call that writes it
};

}  // namespace

Trace tied_gradients(const Trace& trace) {
  const bool embeds = std::any_of(trace.calls().begin(), trace.calls().end(), [](const OpCall& c) {
    return c.op->name == "embedding_backward";
  });
  return embeds ? TiedGradients(trace).run() : trace;
}

}  // namespace siliconprof
