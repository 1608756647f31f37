#pragma once

// The errors of the library. A message begins with the place in brackets, "[matmul] ...",
// then says the argument, the value found and what was needed. Thrown early, never swallowed.

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace siliconprof {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct ShapeError : Error {
  using Error::Error;
};
struct DtypeError : Error {
  using Error::Error;
};
struct ArgumentError : Error {
  using Error::Error;
};
struct UnknownNameError : Error {
  using Error::Error;
};
struct DeviceError : Error {
  using Error::Error;
};
struct RecordError : Error {
  using Error::Error;
};
struct EngineUnavailable : Error {
  using Error::Error;
};
struct CounterUnavailable : Error {
  using Error::Error;
};

/// Throws UnknownNameError: "[place] unknown what 'found'; did you mean 'x'? valid: ...".
[[noreturn]] void throw_unknown_name(std::string_view place, std::string_view what,
                                     std::string_view found,
                                     std::span<const std::string_view> valid);

}  // namespace siliconprof
