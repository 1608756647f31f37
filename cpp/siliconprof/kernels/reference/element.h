#pragma once

// What the reference kernels ask of an operand: indexing by an element number. A pointer serves,
// and so does any array-like class with a value_type, which is how tests count and record.

#include <cstdint>
#include <type_traits>

namespace siliconprof::reference {

template <class Array>
struct ElementOf {
  using type = typename Array::value_type;
};
template <class T>
struct ElementOf<T*> {
  using type = std::remove_cv_t<T>;
};
template <class Array>
using Element = typename ElementOf<std::remove_cvref_t<Array>>::type;

/// array[i] = value, rounded to the array's element.
template <class Array, class Value>
void store(Array& array, std::int64_t i, const Value& value) {
  array[i] = static_cast<Element<Array>>(value);
}

}  // namespace siliconprof::reference
