#include "siliconprof/core/shape.h"

#include <algorithm>

#include "siliconprof/core/checked.h"
#include "siliconprof/core/error.h"

namespace siliconprof {

Shape::Shape(std::span<const std::int64_t> list) : rank(int(list.size())) {
  if (list.size() > kMaxRank) {
    throw ShapeError("[shape] " + std::to_string(list.size()) + " axes; needed: at most " +
                     std::to_string(kMaxRank));
  }
  std::copy(list.begin(), list.end(), sizes.begin());
  for (const std::int64_t size : list) {
    if (size < 0) throw ShapeError("[shape] negative size in " + to_string(*this));
  }
}

Shape::Shape(std::initializer_list<std::int64_t> list)
    : Shape(std::span<const std::int64_t>(list.begin(), list.size())) {}

std::int64_t Shape::elements() const { return checked_product("shape", view()); }

std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (int axis = 0; axis < shape.rank; ++axis) {
    text += (axis ? ", " : "") + std::to_string(shape[axis]);
  }
  return text + ")";
}

}  // namespace siliconprof
