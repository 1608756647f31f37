#include "siliconprof/kernels/cpu/training_kernels.h"

#include "siliconprof/kernels/cpu/begin_generic.inc"

#include "siliconprof/kernels/cpu/training_loops.inc"

constinit const TrainingKernels kTrainingKernels = make_training_kernels("generic");

#include "siliconprof/kernels/cpu/end_generic.inc"
