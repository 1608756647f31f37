#pragma once

// Fills memory with runs of bytes from elsewhere, one after the other: what gathers, scatters,
// concat and slices do.

#include <array>
#include <cstdint>

#include "siliconprof/kernels/cpu/movement_kernels.h"

namespace siliconprof::cpu {

class RunWriter {
 public:
  /// Writes from `out` on, past the caches with `stream`.
  RunWriter(char* out, bool stream) : out_(out), stream_(stream) {}
  RunWriter(const RunWriter&) = delete;
  RunWriter& operator=(const RunWriter&) = delete;
  ~RunWriter() {
    flush();
    if (stream_) kernels_.fence();
  }

  /// `from` is read at the next flush at the latest; zeros where it is null.
  void add(const void* from, std::int64_t bytes) {
    runs_[count_++] = {from, bytes};
    bytes_ += bytes;
    if (count_ == runs_.size()) flush();
  }

  void flush() {
    kernels_.write_runs(runs_.data(), std::int64_t(count_), out_, stream_);
    out_ += bytes_;
    bytes_ = 0;
    count_ = 0;
  }

 private:
  const MovementKernels& kernels_ = movement_kernels();
  char* out_;
  bool stream_;
  std::int64_t bytes_ = 0;
  std::size_t count_ = 0;
  std::array<Run, 256> runs_;
};

}  // namespace siliconprof::cpu
