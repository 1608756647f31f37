#include "siliconprof/kernels/cpu/last_level_cache.h"

#include <fstream>
#include <string>
#include <system_error>

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

}  // namespace

std::int64_t last_level_cache_bytes_in(const std::filesystem::path& folder) {
  std::int64_t highest = 0;
  std::int64_t bytes = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    const std::filesystem::path& cache = at->path();
    const std::int64_t level = number_in(cache / "level");
    std::string type;
    std::ifstream(cache / "type") >> type;
    if (level <= highest || type == "Instruction") continue;
    highest = level;
    bytes = number_in(cache / "size");
  }
  return bytes;
}

std::int64_t last_level_cache_bytes() {
  constexpr std::int64_t kAssumed = std::int64_t{32} << 20;
  static const std::int64_t bytes = [] {
    const std::int64_t reported = reported_last_level_cache_bytes();
    return reported > 0 ? reported : kAssumed;
  }();
  return bytes;
}

}  // namespace siliconprof::cpu
