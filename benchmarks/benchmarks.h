#pragma once

// Each prints one JSON object on a line: what, samples and unit.

namespace siliconprof::bench {

/// Nanoseconds of Model::predict for one matmul call.
void predict();

/// 8 x 2000 x 2000 float32: the backend's step time over the bare cblas calls, pair by pair.
void product(int rounds);

/// Milliseconds of making a whole training step of GPT-2 small, then of XL.
void build();

}  // namespace siliconprof::bench
