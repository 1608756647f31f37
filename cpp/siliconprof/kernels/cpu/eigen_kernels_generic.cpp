#include <Eigen/Core>

#include "siliconprof/kernels/cpu/eigen_kernels.h"

namespace siliconprof::cpu {
namespace eigen_generic {

#include "siliconprof/kernels/cpu/eigen_products.inc"

}  // namespace eigen_generic

constinit const EigenKernels kGenericEigenKernels = eigen_generic::make_eigen_kernels("generic");

}  // namespace siliconprof::cpu
