#include "siliconprof/ops/trace.h"

#include <array>
#include <utility>

#include "siliconprof/core/checked.h"
#include "siliconprof/core/error.h"
#include "siliconprof/ops/liveness.h"

namespace siliconprof {
namespace {

struct Place {
  const OpCall& call;
  const char* kind;  // "input", "output"
  std::size_t index;
};

std::string text(const Place& place) {
  return "[" + std::string(place.call.op->name) + "] " + place.kind + " " +
         std::to_string(place.index);
}

// tf32 is a property of the arithmetic: in memory it is float32.
Dtype storage(Dtype dtype) { return dtype == Dtype::Tf32 ? Dtype::Float32 : dtype; }

void check_tensor(const Place& place, const TensorInfo& tensor, const Slot& needed) {
  if (tensor.shape != needed.shape) {
    throw ShapeError(text(place) + " '" + tensor.name + "' has shape " + to_string(tensor.shape) +
                     "; needed: " + to_string(needed.shape));
  }
  const Dtype dtype = needed.dtype_in(place.call);
  if (storage(tensor.dtype) != storage(dtype)) {
    throw DtypeError(text(place) + " '" + tensor.name + "' is " + std::string(name(tensor.dtype)) +
                     "; needed: " + std::string(name(dtype)));
  }
}

bool overlap(const TensorInfo& a, const TensorInfo& b) {
  return a.offset_bytes < b.offset_bytes + b.bytes() && b.offset_bytes < a.offset_bytes + a.bytes();
}

}  // namespace

TensorId Trace::add_tensor(TensorInfo info) {
  const std::array<std::int64_t, 2> sizes{info.shape.elements(), size_bytes(info.dtype)};
  checked_product("trace", sizes);
  tensors_.push_back(std::move(info));
  return TensorId(tensors_.size() - 1);
}

TensorId Trace::add_view(TensorId id, const Shape& shape, std::int64_t offset) {
  const TensorInfo& whole = tensors_.at(std::size_t(id));
  if (offset < 0 || offset > whole.shape.elements() - shape.elements()) {
    throw ShapeError("[trace] a view of shape " + to_string(shape) + " from element " +
                     std::to_string(offset) + " of '" + whole.name + "'; needed: one within its " +
                     std::to_string(whole.shape.elements()) + " elements");
  }
  TensorInfo view = whole;
  view.shape = shape;
  view.base = owner(id);
  view.offset_bytes += offset * size_bytes(whole.dtype);
  tensors_.push_back(std::move(view));
  return TensorId(tensors_.size() - 1);
}

TensorId Trace::owner(TensorId id) const {
  const TensorInfo& info = tensors_[std::size_t(id)];
  return info.is_view() ? info.base : id;
}

void Trace::append(const OpCall& call) {
  if (calls_.size() == kMostCalls) {
    throw ShapeError("[trace] more than " + std::to_string(kMostCalls) +
                     " calls; needed: fewer layers or micro-batches");
  }
  const Signature signature = call.op->signature(call);
  const auto check_slots = [&](auto& ids, const std::vector<Slot>& slots, const char* kind) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const Place place{call, kind, i};
      if (ids[i] < 0 || std::size_t(ids[i]) >= tensors_.size()) {
        throw ShapeError(text(place) + " names tensor " + std::to_string(ids[i]) +
                         "; needed: one of the " + std::to_string(tensors_.size()) +
                         " tensors of the trace");
      }
      check_tensor(place, tensors_[std::size_t(ids[i])], slots[i]);
    }
  };
  check_slots(call.inputs, signature.inputs, "input");
  check_slots(call.outputs, signature.outputs, "output");
  check_overlaps(call);
  cost_ += cost_of(call);  // throws where it is no number any more: before the call is there
  calls_.push_back(call);
  memory_.set(nullptr);
}

void Trace::begin_section(std::string section) {
  const auto next = std::int32_t(calls_.size());
  if (!sections_.empty() && sections_.back().first_call == next) sections_.pop_back();
  if (!sections_.empty() && sections_.back().name == section) return;
  sections_.push_back({next, std::move(section)});
}

std::vector<std::int32_t> Trace::section_of_calls() const {
  std::vector<std::int32_t> all(calls_.size(), -1);
  for (std::size_t s = 0; s < sections_.size(); ++s) {
    const std::size_t end =
        s + 1 < sections_.size() ? std::size_t(sections_[s + 1].first_call) : calls_.size();
    for (auto i = std::size_t(sections_[s].first_call); i < end; ++i) all[i] = std::int32_t(s);
  }
  return all;
}

void Trace::check_overlaps(const OpCall& call) const {
  const auto check = [&](std::size_t output, TensorId other, bool may_update) {
    const TensorId id = call.outputs[output];
    if (other == kNoTensor || owner(id) != owner(other)) return;
    const TensorInfo& a = tensors_[std::size_t(id)];
    const TensorInfo& b = tensors_[std::size_t(other)];
    const bool same = a.offset_bytes == b.offset_bytes && a.shape == b.shape;
    if (!overlap(a, b) || (same && may_update)) return;
    throw ArgumentError(text({call, "output", output}) + " '" + a.name + "' overlaps '" + b.name +
                        "'; needed: memory of its own");
  };
  for (std::size_t o = 0; o < call.outputs.size() && call.outputs[o] != kNoTensor; ++o) {
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
      const bool in_order = i == 0 || call.op->op_class != OpClass::Indexed;
      check(o, call.inputs[i], in_order && int(o) < call.op->updatable_outputs);
    }
    for (std::size_t p = 0; p < o; ++p) check(o, call.outputs[p], false);
  }
}

std::int64_t Trace::parameters() const {
  std::int64_t count = 0;
  for (const TensorInfo& tensor : tensors_) {
    if (tensor.role == Role::Parameter && !tensor.is_view()) count += tensor.shape.elements();
  }
  return count;
}

std::int64_t Trace::trained_parameters() const {
  std::int64_t count = 0;
  for (const TensorInfo& tensor : tensors_) {
    if (tensor.is_trained() && !tensor.is_view()) count += tensor.shape.elements();
  }
  return count;
}

MemoryTimeline Trace::memory() const {
  auto known = memory_.get();
  if (!known) {
    known = std::make_shared<const MemoryTimeline>(memory_timeline(*this));
    memory_.set(known);
  }
  return *known;
}

bool Trace::operator==(const Trace& other) const {
  return label_ == other.label_ && calls_ == other.calls_ && tensors_ == other.tensors_ &&
         results_ == other.results_ && sections_ == other.sections_ &&
         gradients_ == other.gradients_;
}

}  // namespace siliconprof
