#include "siliconprof/kernels/cpu/optimizers.h"

#include "siliconprof/kernels/cpu/cpu_features.h"
#include "siliconprof/kernels/cpu/in_place.h"
#include "siliconprof/kernels/cpu/pieces.h"

namespace siliconprof::cpu {
namespace {

const void* input(const KernelCall& k, std::size_t i, std::int64_t at) {
  return k.inputs[i].as<const char>() + at * size_bytes(k.inputs[i].dtype);
}
void* output(const KernelCall& k, std::size_t i, std::int64_t at) {
  return k.outputs[i].as<char>() + at * size_bytes(k.outputs[i].dtype);
}

Stores stores_of(const KernelCall& k) {
  return stores_for({.in_place = updates_an_input(k),
                     .exceeds_cache = exceeds_cache(k),
                     .others_read_it = k.others_read_update,
                     .on_amd = cpu_features().amd});
}

}  // namespace

// In place: several streams, and arithmetic between their reads. An Intel Xeon's own look ahead is
// too short, and what other cores hold is waited for; an AMD EPYC's is not (1.23 of the time with
// asking). But there threads may lie on parts with a last-level cache each: what a product on both
// has read, its weights, is then taken back from the other part line by line before it is written,
// six times as long as the update takes otherwise. Past the caches it isn't (there 0.16 of the
// time, on one part 1.05), and where they hold no weights until the next step nothing is lost.
Stores stores_for(const UpdateFacts& update) {
  if (!update.in_place) return update.exceeds_cache ? Stores::Past : Stores::Cached;
  if (!update.on_amd) return Stores::Asked;
  return update.others_read_it ? Stores::ParameterPast : Stores::Cached;
}

void run_adamw(const KernelCall& k) {
  const auto adamw = training_kernels().of(k.call.dtype).adamw;
  const Stores stores = stores_of(k);
  run_in_pieces(k, k.call.dims[0], bytes_an_index(k), [&](std::int64_t begin, std::int64_t end) {
    adamw({input(k, 0, begin), input(k, 1, begin), input(k, 2, begin), input(k, 3, begin),
           output(k, 0, begin), output(k, 1, begin), output(k, 2, begin)},
          k.call.attributes.data(), end - begin, stores);
  });
}

void run_sgd(const KernelCall& k) {
  const auto sgd = training_kernels().of(k.call.dtype).sgd;
  const Stores stores = stores_of(k);
  run_in_pieces(k, k.call.dims[0], bytes_an_index(k), [&](std::int64_t begin, std::int64_t end) {
    sgd({input(k, 0, begin), input(k, 1, begin), input(k, 2, begin), output(k, 0, begin),
         output(k, 1, begin)},
        k.call.attributes.data(), end - begin, stores);
  });
}

}  // namespace siliconprof::cpu
