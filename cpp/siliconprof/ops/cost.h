#pragma once

// What an operation must do, whoever does it: arithmetic by kind, and compulsory memory traffic
// (each input element read once, each output element written once). Never time.

#include <cstdint>

namespace siliconprof {

/// Units: FLOP and bytes. An addition, subtraction (a negation is one), multiplication, division,
/// comparison with its selection (as in a maximum), exp, expm1, log, log1p, sqrt, erf or tanh is
/// one FLOP each; a multiply-add is 2.
struct Cost {
  std::int64_t matrix_flops = 0;  // work that a matrix unit can take
  std::int64_t vector_flops = 0;
  std::int64_t bytes_read = 0;
  std::int64_t bytes_written = 0;

  std::int64_t flops() const { return matrix_flops + vector_flops; }
  std::int64_t bytes() const { return bytes_read + bytes_written; }
  Cost& operator+=(const Cost& other);
  bool operator==(const Cost&) const = default;
};

}  // namespace siliconprof
