#!/usr/bin/env bash
# Runs a GoogleTest program as several processes at once, each with its share of the tests.
# Usage: scripts/shards.sh JOBS PROGRAM [ARGUMENT...]; fails if any share does.
set -euo pipefail

jobs=$1
shift
logs=$(mktemp -d)
pids=()
# The system keeps interrupts from what a script starts in the background.
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -rf "$logs"' EXIT
# Threads of one share that wait spinning would take the other's core.
export OMP_WAIT_POLICY=passive GTEST_TOTAL_SHARDS=$jobs
for ((share = 0; share < jobs; share++)); do
  GTEST_SHARD_INDEX=$share "$@" >"$logs/$share" 2>&1 &
  pids+=($!)
done
status=0
for ((share = 0; share < jobs; share++)); do
  wait "${pids[share]}" || status=$?
  echo "share $((share + 1)) of $jobs:"
  cat "$logs/$share"
done
exit $status
