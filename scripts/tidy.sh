#!/usr/bin/env bash
# clang-tidy over the project's C++ sources, several at a time.
# Usage: scripts/tidy.sh BUILD_DIR JOBS [FILE...]; without files, every source under cpp/.
set -euo pipefail

build=$1
jobs=$2
shift 2
if [ $# -gt 0 ]; then files=("$@"); else mapfile -t files < <(find cpp -name '*.cpp' | sort); fi
echo "tidy: ${#files[@]} files, $jobs at a time"
# The build's flags are the compiler's, and clang does not know all of them.
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$jobs" clang-tidy -p "$build" --quiet \
    --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-ignored-optimization-argument
echo "tidy: done"
