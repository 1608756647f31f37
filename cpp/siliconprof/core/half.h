#pragma once

// The two 16-bit formats as C++ scalars. Eigen's types convert by rounding to nearest even and
// serve every engine alike.

#include <Eigen/Core>

namespace siliconprof {

using float16 = Eigen::half;
using bfloat16 = Eigen::bfloat16;
static_assert(sizeof(float16) == 2 && sizeof(bfloat16) == 2);

}  // namespace siliconprof
