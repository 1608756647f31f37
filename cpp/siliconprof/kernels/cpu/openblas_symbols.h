#pragma once

// The functions of a loaded OpenBLAS under whatever names its build gave them: plain, with the
// suffix of 64-bit integers ("cblas_sgemm64_"), or with the prefix of the copies that Python wheels
// bundle ("scipy_cblas_sgemm64_").

#include <optional>
#include <string>

namespace siliconprof::cpu {

struct OpenBlasSymbols {
  void* handle = nullptr;
  std::string prefix;
  std::string suffix;

  /// Address of the function, null where the build lacks it.
  void* find(const std::string& name) const;
  /// What openblas_get_corename and openblas_get_config say; "" where the build lacks them.
  std::string corename() const;
  std::string config() const;
  /// Integers of the interface have 64 bits.
  bool has_64_bit_integers() const;
};

/// None when the handle is not an OpenBLAS with the C interface.
std::optional<OpenBlasSymbols> find_openblas_symbols(void* handle);

/// "0.3.21" from a text like "OpenBLAS 0.3.21 DYNAMIC_ARCH ..."; "" when it says none.
std::string openblas_version(const std::string& config);

}  // namespace siliconprof::cpu
