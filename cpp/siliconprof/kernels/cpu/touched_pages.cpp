#include "siliconprof/kernels/cpu/touched_pages.h"

#include <algorithm>

#include "siliconprof/core/huge_pages.h"
#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/bound_trace.h"
#include "siliconprof/kernels/cpu/workspaces.h"
#include "siliconprof/ops/liveness.h"

namespace siliconprof::cpu {
namespace {

std::int64_t pages_of(std::int64_t bytes) { return divided_up(bytes, kPageBytes); }

class Walk {
 public:
  Walk(const Trace& trace, int threads) : trace_(trace), plans_(block_plans(trace)) {
    // A block in whole huge pages comes first: single pages follow all of those.
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      begins_[i] = found_.pages;
      found_.pages += pages_of(on_huge_pages(plans_[i].arena_bytes));
      const bool is_huge = plans_[i].arena_bytes >= std::int64_t(kHugePageBytes);
      if (is_huge) found_.huge_pages = found_.pages;
    }
    for (const Workspace& each : workspaces(trace, threads)) {
      if (each.name != "ends of huge pages") scratch_ += pages_of(each.bytes);
    }
    found_.pages += scratch_;
  }

  TouchedPages run() {
    for (std::size_t id = 0; id < trace_.tensors().size(); ++id) {
      const TensorInfo& info = trace_.tensors()[id];
      const bool is_kept = plans_[1].offset_bytes[id] != kNotPlanned;
      if (is_kept && is_persistent(info.role)) found_.filled.push_back(range(TensorId(id)));
    }
    for (const OpCall& call : trace_.calls()) add(call);
    return std::move(found_);
  }

 private:
  PageRange range(TensorId id) const {
    const TensorInfo& info = trace_.tensors()[std::size_t(id)];
    const auto owner = std::size_t(trace_.owner(id));
    const std::size_t block = plans_[0].offset_bytes[owner] == kNotPlanned ? 1 : 0;
    const std::int64_t begin = plans_[block].offset_bytes[owner] + info.offset_bytes;
    return {begins_[block] + begin / kPageBytes, begins_[block] + pages_of(begin + info.bytes())};
  }

  void add(const OpCall& call) {
    PageRound round = touched_by(call);
    if (call.op->op_class == OpClass::Elementwise) {
      found_.rounds.push_back(std::move(round));
    } else {
      for (const PageRange& range : round) found_.rounds.push_back({range});
    }
  }

  PageRound touched_by(const OpCall& call) const {
    std::int64_t indices = 0;
    for (const TensorId id : call.inputs) {
      if (id == kNoTensor) continue;
      const TensorInfo& info = trace_.tensors()[std::size_t(id)];
      if (info.dtype == Dtype::Int32) indices += info.shape.elements();
    }
    const bool looks_up = call.op->op_class == OpClass::Indexed && indices > 0;
    PageRound ranges;
    for (const TensorId id : call.inputs) {
      if (id == kNoTensor) continue;
      PageRange all = range(id);
      if (looks_up) all.step = std::max<std::int64_t>((all.end - all.first) / indices, 1);
      ranges.push_back(all);
    }
    if (call.op->product != nullptr && scratch_ > 0) {
      ranges.push_back({found_.pages - scratch_, found_.pages});
    }
    for (const TensorId id : call.outputs) {
      if (id != kNoTensor) ranges.push_back(range(id));
    }
    return ranges;
  }

  const Trace& trace_;
  std::array<MemoryPlan, 2> plans_;
  std::array<std::int64_t, 2> begins_{};
  std::int64_t scratch_ = 0;
  TouchedPages found_;
};

/// A page of each range in turn.
void touch(PageReplacement& memory, const PageRound& round) {
  std::int64_t longest = 0;
  for (const PageRange& range : round) {
    longest = std::max(longest, divided_up(range.end - range.first, range.step));
  }
  for (std::int64_t i = 0; i < longest; ++i) {
    for (const PageRange& range : round) {
      const std::int64_t page = range.first + i * range.step;
      if (page < range.end) memory.touch(page);
    }
  }
}

}  // namespace

TouchedPages touched_pages(const Trace& trace, int threads) { return Walk(trace, threads).run(); }

std::vector<PageCounts> limited_passes(const TouchedPages& touched, int passes,
                                       std::int64_t limit_pages, std::int64_t read_ahead) {
  PageReplacement memory(touched.pages, touched.huge_pages, limit_pages, read_ahead);
  for (const PageRange& range : touched.filled) touch(memory, {range});
  std::vector<PageCounts> found;
  for (int pass = 0; pass < passes; ++pass) {
    const PageCounts before = memory.counts();
    for (const PageRound& round : touched.rounds) touch(memory, round);
    found.push_back(memory.counts() - before);
  }
  return found;
}

}  // namespace siliconprof::cpu
