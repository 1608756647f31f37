#include "siliconprof/kernels/cpu/optimizers.h"

#include "siliconprof/kernels/cpu/cpu_features.h"
#include "siliconprof/kernels/cpu/in_place.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/training_kernels.h"

namespace siliconprof::cpu {
namespace {

const void* input(const KernelCall& k, std::size_t i, std::int64_t at) {
  return k.inputs[i].as<const char>() + at * size_bytes(k.inputs[i].dtype);
}
void* output(const KernelCall& k, std::size_t i, std::int64_t at) {
  return k.outputs[i].as<char>() + at * size_bytes(k.outputs[i].dtype);
}

/// Several streams, and arithmetic between their reads: an Intel Xeon's own look ahead is too
/// short, and what other cores hold is waited for; an AMD EPYC's is not (1.23 of the time with
/// asking).
bool asks_to_update(const KernelCall& k) { return !cpu_features().amd && updates_an_input(k); }

}  // namespace

void run_adamw(const KernelCall& k) {
  const bool stream = exceeds_cache(k) && !updates_an_input(k);
  const auto adamw = training_kernels().of(k.call.dtype).adamw;
  const bool ask = asks_to_update(k);
  run_in_pieces(k, k.call.dims[0], bytes_an_index(k), [&](std::int64_t begin, std::int64_t end) {
    adamw({input(k, 0, begin), input(k, 1, begin), input(k, 2, begin), input(k, 3, begin),
           output(k, 0, begin), output(k, 1, begin), output(k, 2, begin)},
          k.call.attributes.data(), end - begin, stream, ask);
  });
}

void run_sgd(const KernelCall& k) {
  const bool stream = exceeds_cache(k) && !updates_an_input(k);
  const auto sgd = training_kernels().of(k.call.dtype).sgd;
  const bool ask = asks_to_update(k);
  run_in_pieces(k, k.call.dims[0], bytes_an_index(k), [&](std::int64_t begin, std::int64_t end) {
    sgd({input(k, 0, begin), input(k, 1, begin), input(k, 2, begin), output(k, 0, begin),
         output(k, 1, begin)},
        k.call.attributes.data(), end - begin, stream, ask);
  });
}

}  // namespace siliconprof::cpu
