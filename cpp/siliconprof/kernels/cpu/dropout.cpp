#include "siliconprof/kernels/cpu/dropout.h"

#include "siliconprof/kernels/cpu/in_place.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/training_kernels.h"

namespace siliconprof::cpu {

void run_dropout(const KernelCall& k) {
  const bool stream = exceeds_cache(k) && !updates_an_input(k);
  const std::int64_t size = size_bytes(k.call.dtype);
  const auto dropout = training_kernels().of(k.call.dtype).dropout;
  const char* x = k.inputs[0].as<const char>();
  char* y = k.outputs[0].as<char>();
  run_in_pieces(k, k.call.dims[0], size, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t at = begin * size;
    dropout(x + at, k.call.attributes.data(), begin, y + at, end - begin, stream);
  });
}

}  // namespace siliconprof::cpu
