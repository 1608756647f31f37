#!/usr/bin/env bash
# GoogleTest as arm64 runs it, on an x86-64 Debian 12: cross-compiled with warnings as errors, run
# under qemu. Needs the packages g++-aarch64-linux-gnu and qemu-user-static; libraries for arm64
# are fetched into build/arm64, and the system's are left alone.
# A quarter of an hour.
# Usage: scripts/arm64.sh [ARGUMENT of GoogleTest...], as --gtest_filter='Sort*'
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=$PWD/build/arm64
root=$build/root
if [ ! -e "$root/complete" ]; then
  apt=$build/apt
  mkdir -p "$apt"/{lists,archives}/partial "$root/usr/lib"
  ln -sfn usr/lib "$root/lib"
  touch "$apt/status"
  options=(-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root
    -o Dir::State="$apt" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt")
  apt-get "${options[@]}" update
  apt-get "${options[@]}" install -y --download-only --no-install-recommends libc6-dev libgomp1 \
    libstdc++-12-dev libopenblas0-openmp libeigen3-dev libgtest-dev pybind11-dev libpython3-dev
  for package in "$apt"/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$root"
  done
  touch "$root/complete"
fi

/usr/bin/cmake --log-level=NOTICE -G Ninja -S . -B "$build" -DCMAKE_SYSTEM_NAME=Linux \
  -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
  -DCMAKE_SYSROOT="$root" -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER \
  -DPython_EXECUTABLE=/usr/bin/python3 -DPython_INCLUDE_DIR="$root/usr/include/python3.11" \
  -DSILICONPROF_BENCH=OFF -DSILICONPROF_WERROR=ON
/usr/bin/cmake --build "$build" --parallel "${JOBS:-$(nproc)}" --target siliconprof_tests
exec qemu-aarch64-static -L "$root" "$build/siliconprof_tests" --gtest_brief=1 "$@"
