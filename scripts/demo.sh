#!/usr/bin/env bash
# Shows mneme at work: a parser with a bug that only a certain input reveals.
# Usage: scripts/demo.sh MNEME
set -euo pipefail
mneme=$1
program=examples/packet.c
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

echo "\$ mneme run $program"
status=0
"$mneme" run "$program" --out "$out/mneme-out" || status=$?
# 1 is what mneme ends with when it has found something: here, success.
if [ "$status" -ne 1 ]; then
  echo "demo: mneme ended with $status, but it should have found the bug in $program" >&2
  exit 1
fi
echo
echo "The bug above was found without a single test: mneme explored every path of $program."
echo "Next: target/release/mneme run examples/hash_table.c, or your own program."
