#include "siliconprof/kernels/cpu/log_mel_kernels.h"

#include <utility>

#include "siliconprof/kernels/cpu/begin_generic.inc"

#include "siliconprof/kernels/cpu/log_mel_loops.inc"

constinit const LogMelKernelTable kLogMelKernels = make_log_mel_kernels("generic");

#include "siliconprof/kernels/cpu/end_generic.inc"
