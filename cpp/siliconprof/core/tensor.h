#pragma once

// Memory for tensors: Tensor owns it, TensorView borrows it. Both are contiguous and row-major;
// what is not contiguous is refused at the boundary instead of being copied silently.

#include <cstddef>
#include <memory>

#include "siliconprof/core/dtype.h"
#include "siliconprof/core/interrupt.h"
#include "siliconprof/core/shape.h"

namespace siliconprof {

struct TensorView {
  void* data = nullptr;
  Dtype dtype = Dtype::Float32;
  Shape shape;

  std::int64_t elements() const { return shape.elements(); }
  std::int64_t bytes() const { return elements() * size_bytes(dtype); }
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

/// Owned memory, aligned to 64 bytes (a cache line and the widest vector), to 2 MiB from 2 MiB on
/// so that transparent huge pages can back it. Contents start indeterminate and untouched.
class Tensor {
 public:
  Tensor() = default;
  /// Throws ShapeError on overflow, std::bad_alloc without memory.
  Tensor(Dtype dtype, const Shape& shape);

  const TensorView& view() const { return view_; }

  /// Values uniform in [-1, 1), the same for the same seed on every machine. Polls now and then.
  void fill_uniform(std::uint64_t seed, const Poll& poll = {});
  /// int32 values uniform in [0, limit), alike.
  void fill_indices(std::int64_t limit, std::uint64_t seed);

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  std::unique_ptr<void, Free> memory_;
  TensorView view_;
};

inline constexpr std::size_t kTensorAlignment = 64;

}  // namespace siliconprof
