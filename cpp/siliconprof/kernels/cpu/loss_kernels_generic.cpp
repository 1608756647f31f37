#include "siliconprof/kernels/cpu/loss_kernels.h"

#include "siliconprof/kernels/cpu/begin_generic.inc"

#include "siliconprof/kernels/cpu/loss_loops.inc"

constinit const LossKernels kLossKernels = make_loss_kernels("generic");

#include "siliconprof/kernels/cpu/end_generic.inc"
