#include "siliconprof/kernels/cpu/log_mel_kernels.h"

#if defined(__x86_64__)

#include <utility>

#include "siliconprof/kernels/cpu/begin_avx2.inc"

#include "siliconprof/kernels/cpu/log_mel_loops.inc"

constinit const LogMelKernelTable kLogMelKernels = make_log_mel_kernels("avx2");

#include "siliconprof/kernels/cpu/end_target.inc"

#endif  // x86-64
