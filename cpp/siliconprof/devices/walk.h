#pragma once

// What the way through its data makes of a call's time (access.h, facts of batch norms), at a
// device's rates.

#include "siliconprof/devices/rates.h"

namespace siliconprof {

struct Walk {
  /// Of the call's rates, what is left.
  double part = 1.0;
  /// Of what the traffic takes at that, what memory alone would; cores that have to keep up with it
  /// make the rest.
  double memory_part = 1.0;
  /// Of those of its matrix arithmetic, besides.
  double arithmetic_part = 1.0;
  /// Of the shorter of arithmetic and traffic, what the longer doesn't hide.
  double exposed_part = 0.0;
  /// Vector work takes no less.
  double least_vector_s = 0.0;
  /// Come on top: what goes over memory again, and what further kernels take to start.
  double again_s = 0.0;
  double start_s = 0.0;
  double start_error = 0.0;  // 90 %, as a part
};

/// As if nothing were in the way for an op that the framework has no facts of.
Walk walk_of(const OpCall& call, const Rates& rates);

}  // namespace siliconprof
