#include "siliconprof/kernels/cpu/openblas_symbols.h"

#include <dlfcn.h>

#include <array>

namespace siliconprof::cpu {
namespace {

std::string call_text(void* function) {
  if (function == nullptr) return "";
  const char* text = reinterpret_cast<const char* (*)()>(function)();
  return text != nullptr ? text : "";
}

}  // namespace

void* OpenBlasSymbols::find(const std::string& name) const {
  return dlsym(handle, (prefix + name + suffix).c_str());
}

std::string OpenBlasSymbols::corename() const { return call_text(find("openblas_get_corename")); }

std::string OpenBlasSymbols::config() const { return call_text(find("openblas_get_config")); }

bool OpenBlasSymbols::has_64_bit_integers() const {
  // Debian's 64-bit build has plain names, so the names alone don't tell.
  return config().find("USE64BITINT") != std::string::npos;
}

std::optional<OpenBlasSymbols> find_openblas_symbols(void* handle) {
  constexpr std::array<const char*, 2> kPrefixes{"", "scipy_"};
  constexpr std::array<const char*, 3> kSuffixes{"", "64_", "_64"};
  for (const char* prefix : kPrefixes) {
    for (const char* suffix : kSuffixes) {
      OpenBlasSymbols symbols{handle, prefix, suffix};
      if (symbols.find("cblas_sgemm") != nullptr &&
          symbols.find("openblas_get_config") != nullptr) {
        return symbols;
      }
    }
  }
  return std::nullopt;
}

std::string openblas_version(const std::string& config) {
  const std::string before = "OpenBLAS ";
  const auto start = config.find(before);
  if (start == std::string::npos) return "";
  const auto from = start + before.size();
  const auto end = config.find_first_not_of("0123456789.", from);
  return config.substr(from, end == std::string::npos ? end : end - from);
}

}  // namespace siliconprof::cpu
