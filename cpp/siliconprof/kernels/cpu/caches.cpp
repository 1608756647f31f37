#include "siliconprof/kernels/cpu/caches.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>

#include "siliconprof/kernels/cpu/cpu_count.h"

namespace siliconprof::cpu {
namespace {

// 0 where the file is missing or says something else; sizes are like "32768K".
std::int64_t number_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::int64_t number = 0;
  if (!(in >> number)) return 0;
  char unit = 0;
  in >> unit;
  if (unit == 'K') return number << 10;
  if (unit == 'M') return number << 20;
  return number;
}

const std::vector<DataCache>& data_caches() {
  static const std::vector<DataCache> caches = reported_data_caches();
  return caches;
}

// 0 where the level isn't known.
std::int64_t bytes_of_level(std::int64_t level) {
  const std::vector<DataCache>& caches = data_caches();
  const auto found = std::ranges::find(caches, level, &DataCache::level);
  return found == caches.end() ? 0 : found->bytes;
}

}  // namespace

std::vector<DataCache> data_caches_in(const std::filesystem::path& folder) {
  std::vector<DataCache> found;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    const std::filesystem::path& cache = at->path();
    std::string type;
    std::ifstream(cache / "type") >> type;
    const std::int64_t level = number_in(cache / "level");
    if (level <= 0 || type == "Instruction") continue;
    found.push_back({level, number_in(cache / "size")});
  }
  std::ranges::sort(found, {}, &DataCache::level);
  return found;
}

std::int64_t own_part_bytes(std::int64_t last_level_bytes, int cpus) {
  // More than any CPU's share when all are busy: 4 MB on servers, 12 where cache is stacked.
  constexpr std::int64_t kMostOfACpu = std::int64_t{16} << 20;
  return std::min(last_level_bytes, cpus * kMostOfACpu);
}

std::int64_t last_level_cache_bytes() {
  constexpr std::int64_t kAssumed = std::int64_t{32} << 20;
  // Once, as each call asks: for the CPUs that the process had then.
  static const std::int64_t bytes = [] {
    const std::vector<DataCache>& caches = data_caches();
    if (caches.empty() || caches.back().bytes <= 0) return kAssumed;
    return own_part_bytes(caches.back().bytes, usable_cpus());
  }();
  return bytes;
}

std::int64_t first_cache_bytes() {
  constexpr std::int64_t kAssumed = std::int64_t{32} << 10;
  const std::int64_t bytes = bytes_of_level(1);
  return bytes > 0 ? bytes : kAssumed;
}

std::int64_t second_cache_bytes() { return bytes_of_level(2); }

}  // namespace siliconprof::cpu
