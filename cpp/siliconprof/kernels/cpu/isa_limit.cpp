#include "siliconprof/kernels/cpu/isa_limit.h"

#include <algorithm>
#include <array>

#include "siliconprof/core/error.h"

namespace siliconprof::cpu {

CpuFeatures limited(CpuFeatures features, std::string_view most) {
  constexpr std::array<std::string_view, 3> kLimits{"avx512", "avx2", "generic"};
  if (std::ranges::find(kLimits, most) == kLimits.end()) {
    throw_unknown_name(kMaxIsaVariable, "instruction set", most, kLimits);
  }
  if (most == "avx512") return features;
  for (bool CpuFeatures::*wide :
       {&CpuFeatures::avx512f, &CpuFeatures::avx512bw, &CpuFeatures::avx512vl,
        &CpuFeatures::avx512dq, &CpuFeatures::avx512cd, &CpuFeatures::avx512_bf16,
        &CpuFeatures::avx512_fp16, &CpuFeatures::amx_tile, &CpuFeatures::amx_bf16,
        &CpuFeatures::amx_int8}) {
    features.*wide = false;
  }
  if (most == "generic") features.avx2 = features.fma = features.f16c = false;
  return features;
}

}  // namespace siliconprof::cpu
