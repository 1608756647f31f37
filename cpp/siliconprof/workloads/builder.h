#pragma once

// Writes a forward trace: names tensors, makes outputs from signatures, reshapes where shapes agree
// in their number of elements.

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "siliconprof/ops/trace.h"

namespace siliconprof {

class Builder {
 public:
  /// Calls and float tensors are of `dtype`.
  Builder(std::string label, Dtype dtype) : trace_(std::move(label)), dtype_(dtype) {}

  TensorId parameter(std::string name, const Shape& shape, Initial initial);
  /// A parameter that isn't trained.
  TensorId frozen(std::string name, const Shape& shape, Initial initial);
  TensorId input(std::string name, const Shape& shape);
  /// int32 indices below `limit`.
  TensorId indices(std::string name, const Shape& shape, std::int64_t limit);
  /// An input that is the same in every step and given by nobody.
  TensorId constant(std::string name, const Shape& shape, Initial initial);

  /// Appends a call and returns its first output, named by section and op. An input of another
  /// shape but as many elements is viewed in the shape that is needed. Attributes left out are the
  /// op's defaults. Throws as make_call and Trace::append do.
  TensorId call(std::string_view op, std::initializer_list<std::int64_t> dims,
                std::initializer_list<TensorId> inputs,
                std::initializer_list<double> attributes = {});

  TensorId view(TensorId id, const Shape& shape, std::int64_t offset = 0) {
    return trace_.add_view(id, shape, offset);
  }
  void section(std::string name) { trace_.begin_section(std::move(name)); }
  const Shape& shape(TensorId id) const { return trace_.tensors()[std::size_t(id)].shape; }
  std::int64_t elements(TensorId id) const { return shape(id).elements(); }

  /// The trace, with one result.
  Trace finish(TensorId result) &&;

 private:
  Trace trace_;
  Dtype dtype_;
};

/// `id` itself, or a view of it in `shape`, which has as many elements.
TensorId shaped(Trace& trace, TensorId id, const Shape& shape);

}  // namespace siliconprof
