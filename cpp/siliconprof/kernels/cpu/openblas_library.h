#pragma once

// An OpenBLAS of our own, with the kernels that suit this CPU. A library that doesn't know a CPU
// falls back to much slower kernels (0.3.21 on servers newer than itself: a half to a fifth of the
// speed); it is then loaded again with the right family named.

#include <string>

#include "siliconprof/kernels/cpu/cpu_features.h"
#include "siliconprof/kernels/cpu/openblas_symbols.h"
#include "siliconprof/kernels/cpu/product_functions.h"

namespace siliconprof::cpu {

/// The family of kernels that suits: "SkylakeX" with AVX-512, "Haswell" with AVX2 and FMA, ""
/// where the library shall decide. Never one that needs AMX, which dies where AMX is missing.
std::string wanted_openblas_family(const CpuFeatures& features);

/// True when the library's own choice makes less of the CPU than `wanted` would.
bool falls_short(const std::string& corename, const std::string& wanted);

class OpenBlas {
 public:
  std::string path;        // the file that was copied
  std::string corename;    // the kernels in use
  std::string own_choice;  // the kernels that the library took before it was told
  std::string config;
  int parallel = 0;  // 0 none, 1 pthread, 2 OpenMP

  /// Loads a private copy of the file: with the kernels that it takes by itself unless they fall
  /// short of `wanted_family`, or with that family whatever it takes when `forced`. The user's
  /// OPENBLAS_CORETYPE speaks to other copies and is neither followed nor changed. Throws
  /// EngineUnavailable.
  OpenBlas(const std::string& path, const std::string& wanted_family, bool forced = false);

  /// On the calling thread alone. Throw ShapeError for sizes that the library's integers can't
  /// hold.
  void gemm(const GemmCall<float>& call) const;
  void gemm(const GemmCall<double>& call) const;
  void gemv(const GemvCall<float>& call) const;
  void gemv(const GemvCall<double>& call) const;
  /// Only with has_bfloat16().
  void gemm(const GemmCall<BFloat16Bits, float>& call) const;
  bool has_bfloat16() const { return sbgemm_ != nullptr; }

 private:
  OpenBlasSymbols symbols_;
  bool integers_64_ = false;
  void* sgemm_ = nullptr;
  void* dgemm_ = nullptr;
  void* sgemv_ = nullptr;
  void* dgemv_ = nullptr;
  void* sbgemm_ = nullptr;
  void (*set_num_threads_)(int) = nullptr;
};

/// Names a family for this library's own copy, right or wrong: for experiments.
inline constexpr const char* kFamilyOverrideVariable = "SILICONPROF_OPENBLAS_CORETYPE";

/// This process's own, loaded on first use. Throws EngineUnavailable, naming what was tried and
/// the remedy.
const OpenBlas& openblas();

}  // namespace siliconprof::cpu
