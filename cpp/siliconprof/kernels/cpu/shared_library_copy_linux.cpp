#if defined(__linux__)

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "siliconprof/kernels/cpu/shared_library_copy.h"

namespace siliconprof::cpu {
namespace {

bool copy_contents(int from, int to) {
  for (;;) {
    const ssize_t sent = sendfile(to, from, nullptr, std::size_t{1} << 30);
    if (sent < 0) return false;
    if (sent == 0) return true;
  }
}

/// A file in memory with the contents of `path`; -1 when the system doesn't let us have one.
int memory_file(const std::string& path) {
  const int from = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (from < 0) return -1;
  int to = memfd_create("siliconprof-library", MFD_CLOEXEC);
  if (to >= 0 && !copy_contents(from, to)) {
    close(to);
    to = -1;
  }
  close(from);
  return to;
}

}  // namespace

// The descriptor stays open on purpose: the loader takes two libraries of the same name for one,
// and the name is the descriptor's number.
void* open_private_copy(const std::string& path) {
  const int file = memory_file(path);
  if (file >= 0) {
    const std::string name = "/proc/self/fd/" + std::to_string(file);
    if (void* handle = dlopen(name.c_str(), private_copy_flags())) return handle;
    close(file);
  }
  // Some systems forbid executing memory files; the temporary file then also says why it fails.
  return open_temporary_copy(path);
}

}  // namespace siliconprof::cpu

#endif  // Linux
