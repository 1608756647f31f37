#!/usr/bin/env bash
# ruff and mypy over the Python sources, with whichever of the two is at hand.
# RUFF and MYPY name other commands (CI passes those of its own environment).
set -euo pipefail

python=${PYTHON:-/usr/bin/python3}
ruff=${RUFF:-$(command -v ruff || true)}
read -ra mypy <<<"${MYPY:-$python -m mypy}"
targets=(python tests/python scripts benchmarks tools)
[ ! -d notebooks ] || targets+=(notebooks)

# A version manager's shim is on PATH also for versions that lack the tool: ask it to run.
if [ -n "$ruff" ] && "$ruff" --version >/dev/null 2>&1; then
  echo "lint: $("$ruff" --version)"
  "$ruff" check "${targets[@]}"
else
  echo "lint: ruff is not installed here; skipped"
fi
echo "lint: $("${mypy[@]}" --version)"
"${mypy[@]}"
