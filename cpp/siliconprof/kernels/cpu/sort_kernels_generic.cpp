#include "siliconprof/kernels/cpu/sort_kernels.h"

#include "siliconprof/kernels/cpu/begin_generic.inc"

static constexpr Index kKeyLanes = 2;
#include "siliconprof/kernels/cpu/sort_lanes.inc"
#include "siliconprof/kernels/cpu/sort_loops.inc"

constinit const SortKernelTable kSortKernels = make_sort_kernels("generic");

#include "siliconprof/kernels/cpu/end_generic.inc"
