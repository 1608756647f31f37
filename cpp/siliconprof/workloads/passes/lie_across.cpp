#include "siliconprof/workloads/passes/lie_across.h"

#include <algorithm>
#include <vector>

#include "siliconprof/workloads/passes/trace_copy.h"

namespace siliconprof {
namespace {

/// What are neighbours in memory: channels, places, or neither, as of one number for each channel.
enum class Way : std::uint8_t { Rows, Places, Neither };

bool goes_over_elements(const Op& op) {
  return op.op_class == OpClass::Elementwise || op.name.starts_with("batch_norm");
}

bool makes_places(const Op& op) {
  return op.op_class == OpClass::Convolution || op.name.find("pool") != std::string_view::npos;
}

/// A parameter of one axis has no other to lie across.
Way way_of(const TensorInfo& tensor) {
  const auto sizes = tensor.shape.view();
  const auto axes = std::ranges::count_if(sizes, [](std::int64_t size) { return size > 1; });
  return tensor.role == Role::Parameter && axes < 2 ? Way::Neither : Way::Rows;
}

class Layout {
 public:
  explicit Layout(const Trace& trace) : trace_(trace), copy_(trace) {
    ways_.reserve(trace.tensors().size());
    for (const TensorInfo& tensor : trace.tensors()) ways_.push_back(way_of(tensor));
  }

  Trace run() {
    for (std::size_t i = 0; i < trace_.calls().size(); ++i) {
      OpCall call = trace_.calls()[i];
      follow(call);
      copy_.enter_section_of(i);
      copy_.append(call);
    }
    return copy_.finish();
  }

 private:
  Way& way(TensorId id) { return ways_[std::size_t(trace_.owner(id))]; }

  void follow(OpCall& call) {
    bool rows = false, places = false;
    Way first = Way::Neither;
    for (const TensorId id : call.inputs) {
      if (id == kNoTensor || way(id) == Way::Neither) continue;
      rows = rows || way(id) == Way::Rows;
      places = places || way(id) == Way::Places;
      if (first == Way::Neither) first = way(id);
    }
    const Op& op = *call.op;
    const bool wants_rows = op.name == "sum" || op.name.starts_with("layer_norm");
    call.crosses = places && (wants_rows || (rows && op.op_class == OpClass::Elementwise));
    const Way made = goes_over_elements(op) ? first : makes_places(op) ? Way::Places : Way::Rows;
    for (const TensorId id : call.outputs) {
      if (id != kNoTensor) way(id) = made;
    }
  }

  const Trace& trace_;
  TraceCopy copy_;
  std::vector<Way> ways_;  // by owner
};

}  // namespace

Trace lie_across(const Trace& trace) { return Layout(trace).run(); }

}  // namespace siliconprof
