#include "siliconprof/ops/trace.h"

#include <array>
#include <utility>

#include "siliconprof/core/checked.h"
#include "siliconprof/core/error.h"
#include "siliconprof/ops/liveness.h"

namespace siliconprof {
namespace {

void check_tensor(const OpCall& call, const TensorInfo& tensor, const Shape& needed,
                  const std::string& slot) {
  const std::string place = "[" + std::string(call.op->name) + "] " + slot + " '" + tensor.name;
  if (tensor.shape != needed) {
    throw ShapeError(place + "' has shape " + to_string(tensor.shape) +
                     "; needed: " + to_string(needed));
  }
  if (tensor.dtype != call.dtype) {
    throw DtypeError(place + "' is " + std::string(name(tensor.dtype)) +
                     "; needed: " + std::string(name(call.dtype)));
  }
}

}  // namespace

TensorId Trace::add_tensor(TensorInfo info) {
  const std::array<std::int64_t, 2> sizes{info.shape.elements(), size_bytes(info.dtype)};
  checked_product("trace", sizes);
  tensors_.push_back(std::move(info));
  return TensorId(tensors_.size() - 1);
}

void Trace::append(const OpCall& call) {
  const Signature signature = call.op->signature(call);
  const auto check_slots = [&](auto& ids, const std::vector<Shape>& shapes, const char* kind) {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const std::string slot = std::string(kind) + " " + std::to_string(i);
      if (ids[i] < 0 || std::size_t(ids[i]) >= tensors_.size()) {
        throw ShapeError("[" + std::string(call.op->name) + "] " + slot + " names tensor " +
                         std::to_string(ids[i]) + "; needed: one of the " +
                         std::to_string(tensors_.size()) + " tensors of the trace");
      }
      check_tensor(call, tensors_[std::size_t(ids[i])], shapes[i], slot);
    }
  };
  check_slots(call.inputs, signature.inputs, "input");
  check_slots(call.outputs, signature.outputs, "output");
  calls_.push_back(call);
  cost_ += call.op->cost(call);
  memory_.set(nullptr);
}

std::int64_t Trace::parameters() const {
  std::int64_t count = 0;
  for (const TensorInfo& tensor : tensors_) {
    if (tensor.role == Role::Parameter) count += tensor.shape.elements();
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
  return label_ == other.label_ && calls_ == other.calls_ && tensors_ == other.tensors_;
}

}  // namespace siliconprof
