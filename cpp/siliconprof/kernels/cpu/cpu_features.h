#pragma once

// What this CPU can execute, as found at run time: instruction sets that both the processor has
// and the operating system saves.

#include <cstdint>
#include <string_view>
#include <vector>

namespace siliconprof::cpu {

struct CpuFeatures {
  bool amd = false;  // who made it: some loops are best otherwise there
  // x86-64
  bool avx2 = false;
  bool fma = false;
  bool f16c = false;
  bool avx512f = false;
  bool avx512bw = false;
  bool avx512vl = false;
  bool avx512dq = false;
  bool avx512cd = false;
  bool avx512_bf16 = false;
  bool avx512_fp16 = false;
  bool amx_tile = false;
  bool amx_bf16 = false;
  bool amx_int8 = false;
  // arm64
  bool neon = false;
  bool asimdhp = false;
  bool bf16 = false;

  bool operator==(const CpuFeatures&) const = default;
  /// What the kernels built for 256-bit vectors need.
  bool has_avx2_kernels() const { return avx2 && fma && f16c; }
  /// What the kernels built for 512-bit vectors need: the set of the first AVX-512 servers.
  bool has_avx512_kernels() const {
    return has_avx2_kernels() && avx512f && avx512bw && avx512vl && avx512dq && avx512cd;
  }
};

/// Names of the features that are present, in the order above.
std::vector<std::string_view> feature_names(const CpuFeatures& features);

/// Of the CPU that runs this; asked once.
const CpuFeatures& cpu_features();

/// The registers that say it on x86-64: CPUID leaves 0, 1 and 7, and the state that the OS saves.
struct X86Registers {
  std::uint32_t leaf1_ecx = 0;
  std::uint32_t leaf7_ebx = 0;
  std::uint32_t leaf7_edx = 0;
  std::uint32_t leaf7_1_eax = 0;
  std::uint64_t xcr0 = 0;  // 0 without OSXSAVE
  std::uint32_t leaf0_ecx = 0;
};

/// Source: Intel SDM volume 2, CPUID; volume 1, chapter 13; AMD64 APM volume 3, appendix E.
CpuFeatures decode(const X86Registers& registers);

}  // namespace siliconprof::cpu
