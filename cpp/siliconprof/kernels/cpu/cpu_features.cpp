#include "siliconprof/kernels/cpu/cpu_features.h"

#include <array>
#include <cstdlib>
#include <utility>

#include "siliconprof/kernels/cpu/isa_limit.h"

#if defined(__x86_64__)
#include <cpuid.h>
#else
#include "siliconprof/kernels/cpu/arm_capabilities.h"
#endif

namespace siliconprof::cpu {
namespace {

constexpr std::array<std::pair<std::string_view, bool CpuFeatures::*>, 16> kFeatures{{
    {"avx2", &CpuFeatures::avx2},
    {"fma", &CpuFeatures::fma},
    {"f16c", &CpuFeatures::f16c},
    {"avx512f", &CpuFeatures::avx512f},
    {"avx512bw", &CpuFeatures::avx512bw},
    {"avx512vl", &CpuFeatures::avx512vl},
    {"avx512dq", &CpuFeatures::avx512dq},
    {"avx512cd", &CpuFeatures::avx512cd},
    {"avx512_bf16", &CpuFeatures::avx512_bf16},
    {"avx512_fp16", &CpuFeatures::avx512_fp16},
    {"amx_tile", &CpuFeatures::amx_tile},
    {"amx_bf16", &CpuFeatures::amx_bf16},
    {"amx_int8", &CpuFeatures::amx_int8},
    {"neon", &CpuFeatures::neon},
    {"asimdhp", &CpuFeatures::asimdhp},
    {"bf16", &CpuFeatures::bf16},
}};

constexpr bool bit(std::uint64_t word, int index) { return ((word >> index) & 1) != 0; }

#if defined(__x86_64__)

CpuFeatures detect() {
  X86Registers found;
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
  if (__get_cpuid(0, &eax, &ebx, &ecx, &edx)) found.leaf0_ecx = ecx;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx)) found.leaf1_ecx = ecx;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) {
    found.leaf7_ebx = ebx;
    found.leaf7_edx = edx;
    if (eax >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx)) found.leaf7_1_eax = eax;
  }
  constexpr int kOsxsave = 27;
  if (bit(found.leaf1_ecx, kOsxsave)) {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    found.xcr0 = (std::uint64_t{high} << 32) | low;
  }
  return decode(found);
}

#else

CpuFeatures detect() {
  const ArmCapabilities found = arm_capabilities();
  CpuFeatures features;
  features.neon = found.neon;
  features.asimdhp = found.asimdhp;
  features.bf16 = found.bf16;
  return features;
}

#endif

}  // namespace

std::vector<std::string_view> feature_names(const CpuFeatures& features) {
  std::vector<std::string_view> names;
  for (const auto& [name, member] : kFeatures) {
    if (features.*member) names.push_back(name);
  }
  return names;
}

const CpuFeatures& cpu_features() {
  static const CpuFeatures features = [] {
    const char* most = std::getenv(kMaxIsaVariable);
    return most == nullptr || *most == '\0' ? detect() : limited(detect(), most);
  }();
  return features;
}

CpuFeatures decode(const X86Registers& r) {
  // XCR0: SSE and AVX state are bits 1-2; opmask and the two halves of ZMM 5-7; AMX tiles 17-18.
  constexpr std::uint64_t kYmm = 0x6;
  constexpr std::uint64_t kZmm = kYmm | 0xe0;
  constexpr std::uint64_t kTiles = 0x60000;
  const bool ymm = (r.xcr0 & kYmm) == kYmm;
  const bool zmm = (r.xcr0 & kZmm) == kZmm;
  const bool tiles = (r.xcr0 & kTiles) == kTiles;
  constexpr std::uint32_t kAmd = 0x444d4163;  // "cAMD", the end of "AuthenticAMD"
  CpuFeatures f;
  f.amd = r.leaf0_ecx == kAmd;
  f.fma = ymm && bit(r.leaf1_ecx, 12);
  f.f16c = ymm && bit(r.leaf1_ecx, 29);
  f.avx2 = ymm && bit(r.leaf7_ebx, 5);
  f.avx512f = zmm && bit(r.leaf7_ebx, 16);
  f.avx512dq = zmm && bit(r.leaf7_ebx, 17);
  f.avx512cd = zmm && bit(r.leaf7_ebx, 28);
  f.avx512bw = zmm && bit(r.leaf7_ebx, 30);
  f.avx512vl = zmm && bit(r.leaf7_ebx, 31);
  f.avx512_fp16 = zmm && bit(r.leaf7_edx, 23);
  f.avx512_bf16 = zmm && bit(r.leaf7_1_eax, 5);
  f.amx_bf16 = tiles && bit(r.leaf7_edx, 22);
  f.amx_tile = tiles && bit(r.leaf7_edx, 24);
  f.amx_int8 = tiles && bit(r.leaf7_edx, 25);
  return f;
}

}  // namespace siliconprof::cpu
