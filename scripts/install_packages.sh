#!/usr/bin/env bash
# Installs the Debian packages that the named groups of packages.txt need and that are missing.
# Usage: scripts/install_packages.sh report [test] [lint] [ci]
# As root it installs; otherwise it prints the one command that does, and fails. On a system
# without dpkg it looks for each tool, header and module, and fails naming those it lacks.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=${PYTHON:-/usr/bin/python3}
[ -x "$python" ] || python=$(command -v "$python" || command -v python3 || echo python3)
[ $# -gt 0 ] || { echo "usage: $0 report|test|lint|ci ..." >&2; exit 2; }

rows=()
for group in "$@"; do
  found=$(grep -E "^$group " "$here/packages.txt") ||
    { echo "$0: no group '$group' in packages.txt; groups: report, test, lint, ci" >&2; exit 2; }
  while IFS= read -r row; do rows+=("$row"); done <<<"$found"
done

# Packages of the rows that dpkg does not have installed, one a line.
missing_packages() {
  local wanted=() row group package
  for row in "${rows[@]}"; do
    read -r group package _ <<<"$row"
    wanted+=("$package")
  done
  comm -23 <(printf '%s\n' "${wanted[@]}" | sort -u) \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null |
      sed -n 's/^installed //p' | sort -u)
}

present() {  # PROBE
  case $1 in
    command:*) command -v "${1#command:}" >/dev/null ;;
    python:*) "$python" -c "import ${1#python:}" 2>/dev/null ;;
    header:python*) "$python" -c 'import os, sysconfig, sys
sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' ;;
    header:*) find_header "${1#header:}" ;;
    *) true ;;
  esac
}

find_header() {
  local prefix
  for prefix in /usr/include /usr/local/include /opt/homebrew/include \
    /opt/homebrew/opt/openblas/include ${CPATH:+${CPATH//:/ }} \
    "${CONDA_PREFIX:+$CONDA_PREFIX/include}"; do
    if [ -e "$prefix/$1" ] || compgen -G "$prefix/*/$1" >/dev/null; then return 0; fi
  done
  return 1
}

if ! command -v dpkg-query >/dev/null; then
  lacking=0
  for row in "${rows[@]}"; do
    read -r _ package probe purpose <<<"$row"
    present "$probe" && continue
    echo "setup: not found: $package (${probe#*:}): $purpose" >&2
    lacking=1
  done
  [ $lacking -eq 0 ] && exit 0
  echo "setup: this is not a Debian system; install the above with its own package manager" \
    "(Python modules for $python), then run make again" >&2
  exit 1
fi

mapfile -t missing < <(missing_packages)
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
  {
    echo "setup: missing Debian packages: ${missing[*]}"
    echo "setup: install them with"
    echo "    sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}"
    echo "setup: then run make again"
  } >&2
  exit 1
fi

export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
quietly() {  # WHAT COMMAND...: one line when it starts, its output only when it fails
  echo "setup: $1"
  shift
  "$@" >"$log" 2>&1 </dev/null || { cat "$log" >&2; echo "setup: failed: $*" >&2; exit 1; }
}
quietly "updating the package lists" apt-get update
quietly "installing ${missing[*]}" \
  apt-get install -y --no-install-recommends -o Dpkg::Use-Pty=0 "${missing[@]}"
mapfile -t missing < <(missing_packages)
[ ${#missing[@]} -eq 0 ] || { echo "setup: still missing: ${missing[*]}" >&2; exit 1; }
echo "setup: done"
