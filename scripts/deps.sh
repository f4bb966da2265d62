#!/usr/bin/env bash
# Installs the Debian packages that Mneme needs and that are missing; does nothing where all are present.
# Usage: scripts/deps.sh [PACKAGE...]   (more packages than the usual ones, for scripts that need them)
set -euo pipefail

packages=(
  clang-19 libclang-rt-19-dev    # compiles the programs under test and the runtime
  llvm-19-dev libpolly-19-dev libzstd-dev zlib1g-dev
  libz3-dev z3                   # the solver, in process and as a command
  gcc g++ make libc6-dev         # what Rust links with; CaDiCaL is C++
  valgrind
  "$@"
)
# The headers for -m32 exist on 64-bit x86 only.
if [ "$(dpkg --print-architecture 2>/dev/null || true)" = amd64 ]; then
  packages+=(gcc-multilib)
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "deps: this is not a Debian system; install the equivalents of: ${packages[*]}" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
  echo "deps: packages are missing, and installing them needs root. Run:" >&2
  echo "  sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends ${missing[*]}'" >&2
  exit 1
fi

echo "deps: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
install() { apt-get install -y -qq --no-install-recommends "${missing[@]}"; }
# Package lists may be absent or old: update them when they do not know a package, or when a download fails.
if ! apt-get install -s -qq --no-install-recommends "${missing[@]}" >/dev/null 2>&1; then
  apt-get update -qq
  install
else
  install || { apt-get update -qq && install; }
fi
