#include "siliconprof/kernels/cpu/cpu_count.h"

#include <algorithm>
#include <numeric>
#include <thread>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace siliconprof::cpu {
namespace {

std::vector<int> processors_of_places() {
  std::vector<int> processors;
#if defined(_OPENMP)
  if (omp_get_proc_bind() == omp_proc_bind_false) return processors;
  for (int place = 0; place < omp_get_num_places(); ++place) {
    const auto before = processors.size();
    processors.resize(before + std::size_t(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, processors.data() + before);
  }
  std::sort(processors.begin(), processors.end());
  processors.erase(std::unique(processors.begin(), processors.end()), processors.end());
#endif
  return processors;
}

}  // namespace

std::vector<int> usable_processors() {
  std::vector<int> processors = processors_of_places();
  if (processors.empty()) processors = processors_of_mask();
  if (!processors.empty()) return processors;
  processors.resize(std::max(std::thread::hardware_concurrency(), 1U));
  std::iota(processors.begin(), processors.end(), 0);
  return processors;
}

int usable_cpus() { return int(usable_processors().size()); }

}  // namespace siliconprof::cpu
