#include "siliconprof/kernels/cpu/openblas_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>

#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/openblas_files.h"
#include "siliconprof/kernels/cpu/parallel.h"
#include "siliconprof/kernels/cpu/shared_library_copy.h"

namespace siliconprof::cpu {
namespace {

constexpr const char* kFamilyVariable = "OPENBLAS_CORETYPE";
constexpr const char* kThreadsVariable = "OPENBLAS_NUM_THREADS";

// cblas.h's constants.
constexpr int kRowMajor = 101;
constexpr int kNoTranspose = 111;
constexpr int kTranspose = 112;

int flag(bool transpose) { return transpose ? kTranspose : kNoTranspose; }

/// A variable that OpenBLAS reads when it loads, set ("" unsets it) and given back its value
/// afterwards.
class InEnvironment {
 public:
  InEnvironment(const char* variable, const std::string& value) : variable_(variable) {
    if (const char* found = std::getenv(variable)) before_ = found;
    set(value.empty() ? nullptr : value.c_str());
  }
  InEnvironment(const InEnvironment&) = delete;
  InEnvironment& operator=(const InEnvironment&) = delete;
  ~InEnvironment() { set(before_ ? before_->c_str() : nullptr); }

 private:
  void set(const char* value) const {
    value != nullptr ? setenv(variable_, value, 1) : unsetenv(variable_);
  }

  const char* variable_;
  std::optional<std::string> before_;
};

/// Sets a library to one thread. One that uses OpenMP takes as many as the calling thread's OpenMP
/// setting says, which belongs to the program and is put back, or one in a parallel region.
class OneThread {
 public:
  OneThread(int parallel, void (*set_num_threads)(int)) {
    constexpr int kOpenMp = 2;
    if (parallel != kOpenMp) return;
#if defined(_OPENMP)
    if (omp_in_parallel() != 0) return;
    before_ = omp_get_max_threads();
#endif
    set_num_threads(1);
#if defined(_OPENMP)
    omp_set_num_threads(1);  // the library may have an OpenMP of its own
#endif
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;
  ~OneThread() {
#if defined(_OPENMP)
    if (before_ > 0) omp_set_num_threads(before_);
#endif
  }

 private:
#if defined(_OPENMP)
  int before_ = 0;
#endif
};

/// 2 for kernels with 512-bit vectors, 1 with 256-bit, 0 for others.
int rank(const std::string& family) {
  constexpr std::array<const char*, 3> kWide{"SkylakeX", "Cooperlake", "SapphireRapids"};
  constexpr std::array<const char*, 2> kMiddle{"Haswell", "Zen"};
  const auto is_in = [&family](const auto& names) {
    return std::find(names.begin(), names.end(), family) != names.end();
  };
  return is_in(kWide) ? 2 : is_in(kMiddle) ? 1 : 0;
}

OpenBlasSymbols load(const std::string& path) {
  void* handle = open_private_copy(path);
  if (auto symbols = find_openblas_symbols(handle)) return *symbols;
  dlclose(handle);
  throw EngineUnavailable("[openblas] " + path + " is no OpenBLAS with the C interface");
}

template <class Int>
Int checked(std::int64_t size) {
  if (size > std::numeric_limits<Int>::max()) {
    throw ShapeError("[openblas] size " + std::to_string(size) +
                     "; needed: at most 2147483647 in this build of the library");
  }
  return static_cast<Int>(size);
}

template <class Int, class T, class Out>
void call_gemm(void* function, const GemmCall<T, Out>& g) {
  using Function =
      void (*)(int, int, int, Int, Int, Int, Out, const T*, Int, const T*, Int, Out, Out*, Int);
  reinterpret_cast<Function>(function)(kRowMajor, flag(g.transpose_a), flag(g.transpose_b),
                                       checked<Int>(g.m), checked<Int>(g.n), checked<Int>(g.k),
                                       Out(1), g.a, checked<Int>(g.lda), g.b, checked<Int>(g.ldb),
                                       Out(g.accumulate ? 1 : 0), g.c, checked<Int>(g.ldc));
}

template <class Int, class T>
void call_gemv(void* function, const GemvCall<T>& g) {
  using Function = void (*)(int, int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int);
  // y is cleared here: libraries differ in whether 0·NaN of an old y comes through.
  if (!g.accumulate) std::fill_n(g.y, g.transpose ? g.n : g.m, T(0));
  reinterpret_cast<Function>(function)(kRowMajor, flag(g.transpose), checked<Int>(g.m),
                                       checked<Int>(g.n), T(1), g.a, checked<Int>(g.lda), g.x, 1,
                                       T(1), g.y, 1);
}

std::unique_ptr<OpenBlas> load_best() {
  const std::vector<std::string> files = openblas_files(std::getenv(kOpenBlasVariable));
  std::string tried;
  for (const std::string& file : files) {
    try {
      const char* forced = std::getenv(kFamilyOverrideVariable);
      return forced != nullptr
                 ? std::make_unique<OpenBlas>(file, forced, true)
                 : std::make_unique<OpenBlas>(file, wanted_openblas_family(cpu_features()), false);
    } catch (const EngineUnavailable& error) {
      tried += std::string("; ") + error.what();
    }
  }
  throw EngineUnavailable("[openblas] no OpenBLAS found" + tried +
                          "; install libopenblas0-openmp (Debian, Ubuntu) or openblas (Homebrew), "
                          "or set " +
                          kOpenBlasVariable + " to the library's file");
}

}  // namespace

std::string wanted_openblas_family(const CpuFeatures& f) {
  if (f.avx512f && f.avx512bw && f.avx512vl && f.avx512dq && f.avx512cd) return "SkylakeX";
  return f.avx2 && f.fma ? "Haswell" : "";
}

bool falls_short(const std::string& corename, const std::string& wanted) {
  return rank(corename) < rank(wanted);
}

OpenBlas::OpenBlas(const std::string& file, const std::string& wanted_family, bool forced)
    : path(file) {
  // What the environment asks of other copies (numpy's) is not asked of this one. Threads of its
  // own would wait for work that never comes.
  const auto load_as = [&file](const std::string& family) {
    const InEnvironment family_scope(kFamilyVariable, family);
    const InEnvironment threads_scope(kThreadsVariable, "1");
    return load(file);
  };
  symbols_ = load_as(forced ? wanted_family : "");
  own_choice = symbols_.corename();
  if (!forced && falls_short(own_choice, wanted_family)) {
    dlclose(symbols_.handle);
    symbols_ = load_as(wanted_family);
  }
  corename = symbols_.corename();
  config = symbols_.config();
  integers_64_ = symbols_.has_64_bit_integers();
  sgemm_ = symbols_.find("cblas_sgemm");
  dgemm_ = symbols_.find("cblas_dgemm");
  sgemv_ = symbols_.find("cblas_sgemv");
  dgemv_ = symbols_.find("cblas_dgemv");
  sbgemm_ = symbols_.find("cblas_sbgemm");
  set_num_threads_ = reinterpret_cast<void (*)(int)>(symbols_.find("openblas_set_num_threads"));
  if (void* get_parallel = symbols_.find("openblas_get_parallel")) {
    parallel = reinterpret_cast<int (*)()>(get_parallel)();
  }
  if (dgemm_ == nullptr || sgemv_ == nullptr || dgemv_ == nullptr || set_num_threads_ == nullptr) {
    throw EngineUnavailable("[openblas] " + file + " lacks some of the functions that are needed");
  }
  const OneThread scope(parallel, set_num_threads_);
  set_num_threads_(1);
}

void OpenBlas::gemm(const GemmCall<float>& call) const {
  const OneThread scope(parallel, set_num_threads_);
  integers_64_ ? call_gemm<std::int64_t>(sgemm_, call) : call_gemm<int>(sgemm_, call);
}

void OpenBlas::gemm(const GemmCall<double>& call) const {
  const OneThread scope(parallel, set_num_threads_);
  integers_64_ ? call_gemm<std::int64_t>(dgemm_, call) : call_gemm<int>(dgemm_, call);
}

void OpenBlas::gemm(const GemmCall<BFloat16Bits, float>& call) const {
  const OneThread scope(parallel, set_num_threads_);
  integers_64_ ? call_gemm<std::int64_t>(sbgemm_, call) : call_gemm<int>(sbgemm_, call);
}

void OpenBlas::gemv(const GemvCall<float>& call) const {
  const OneThread scope(parallel, set_num_threads_);
  integers_64_ ? call_gemv<std::int64_t>(sgemv_, call) : call_gemv<int>(sgemv_, call);
}

void OpenBlas::gemv(const GemvCall<double>& call) const {
  const OneThread scope(parallel, set_num_threads_);
  integers_64_ ? call_gemv<std::int64_t>(dgemv_, call) : call_gemv<int>(dgemv_, call);
}

const OpenBlas& openblas() {
  static const std::unique_ptr<OpenBlas> library = load_best();
  return *library;
}

}  // namespace siliconprof::cpu
