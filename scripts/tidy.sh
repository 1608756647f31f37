#!/usr/bin/env bash
# clang-tidy over the project's C++ sources, several at a time.
# Usage: scripts/tidy.sh BUILD_DIR JOBS [FILE...]; without files, every source under cpp/.
# CLANG_TIDY names another clang-tidy than the one on PATH.
set -euo pipefail

build=$1
jobs=$2
shift 2
if [ $# -gt 0 ]; then files=("$@"); else mapfile -t files < <(find cpp -name '*.cpp' | sort); fi
echo "tidy: ${#files[@]} files, $jobs at a time, $("${CLANG_TIDY:-clang-tidy}" --version | grep -o 'version .*')"
# The build's flags are the compiler's, and clang does not know all of them; nor has clang-tidy,
# installed without clang, an omp.h of its own.
omp=$(dirname "$(c++ -print-file-name=include/omp.h)")
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$jobs" "${CLANG_TIDY:-clang-tidy}" -p "$build" --quiet \
    --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-ignored-optimization-argument \
    --extra-arg=-idirafter --extra-arg="$omp"
echo "tidy: done"
