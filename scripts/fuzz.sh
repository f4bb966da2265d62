#!/usr/bin/env bash
# Fuzzes everything that reads foreign bytes: each target of fuzz/ for some seconds, guided by coverage, on stable Rust.
# Usage: scripts/fuzz.sh MNEME SECONDS [TARGET...]
# Seeds come from the C corpus; what is found on the way stays in fuzz/corpus, crashing inputs in fuzz/artifacts.
set -euo pipefail
mneme=$(realpath "$1") seconds=$2
shift 2
cd "$(dirname "$0")/.."
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(ktest options smtlib lines frontier bitcode)

# What `cargo fuzz` asks of the compiler, without the sanitizers that need a nightly one. The target is named so that build scripts stay
# as they are.
export RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing"
triple=$(rustc -vV | sed -n 's/^host: //p')
build=${FUZZ_TARGET_DIR:-fuzz/target}
cargo build --release --manifest-path fuzz/Cargo.toml --target "$triple" --target-dir "$build" $(printf -- '--bin %s ' "${targets[@]}")

seeds() { # a directory with the seeds of a target
  local dir=fuzz/corpus/$1
  [ ! -d "$dir" ] || return 0
  mkdir -p "$dir"
  case $1 in
    bitcode)
      # Small files: what a mutation reaches matters, not how much is left as it was.
      for source in $(find tests/c -name '*.c' -size -2 | sort); do
        clang-19 -c -emit-llvm -w -O1 -I crates/runtime/include "$source" -o "$dir/$(basename "$source").bc" 2>/dev/null || true
      done ;;
    ktest | lines)
      local out; out=$(mktemp -d)
      for source in papers/sl_list.c library/strtol_ok.c harness/mneme_bad.c; do
        "$mneme" run "tests/c/$source" --quiet --max-time 5 --out "$out/o" --write-baseline "$out/baseline" >/dev/null 2>&1 || true
        case $1 in
          ktest) for test in "$out"/o/*.ktest; do cp "$test" "$dir/$(basename "$source")-$(basename "$test")"; done ;;
          lines)
            local file
            for file in o/tests.jsonl o/findings.jsonl baseline; do # a run without findings has no file of them
              [ ! -s "$out/$file" ] || cp "$out/$file" "$dir/$(basename "$source").$(basename "$file")"
            done ;;
        esac
      done
      rm -rf "$out" ;;
    frontier)
      local out; out=$(mktemp -d)
      for instructions in 1 300 400 500 700 1000 2000 100000; do
        "$mneme" run fuzz/targets/frontier.c --quiet --max-instructions $instructions --out "$out/o" >/dev/null 2>&1 || true
        cat "$out/o/frontier.json" > "$dir/$instructions"
      done
      rm -rf "$out" ;;
    options)
      printf 'run\na.c\n-DX=1\n-I\ninc\n--max-time\n60\n--check=leaks,overflow\n--model\nobjects\n--\n-x' > "$dir/run"
      printf 'replay\nt.ktest\na.c\n--expect\nabort@a.c:3\n--timeout\n5s' > "$dir/replay"
      printf 'tests\nout\n--format\njson' > "$dir/tests" ;;
    smtlib)
      printf '((n #b0000000000000000000000000000000000001) (a (store ((as const (Array (_ BitVec 64) (_ BitVec 8))) #x00) #x0000000000000001 #xff)))\n' > "$dir/values"
      printf '((n (_ bv5 37)) (a ((as const (Array (_ BitVec 64) (_ BitVec 8))) (_ bv7 8))))\n' > "$dir/decimal"
      printf '(error "line 1: |odd| ; text")\n' > "$dir/error" ;;
  esac
}

for target in "${targets[@]}"; do
  seeds "$target"
  mkdir -p "fuzz/artifacts/$target"
  echo "fuzz: $target for $seconds seconds"
  log=fuzz/artifacts/$target.log
  status=0
  "$build/$triple/release/$target" "fuzz/corpus/$target" -artifact_prefix="fuzz/artifacts/$target/" -max_total_time="$seconds" \
    -timeout=20 -rss_limit_mb=4096 -max_len=65536 > "$log" 2>&1 || status=$?
  grep -E 'INITED|DONE|SUMMARY|panicked' "$log" | tail -4
  if [ "$status" -ne 0 ]; then
    echo "fuzz: $target failed; see $log and fuzz/artifacts/$target" >&2
    exit 1
  fi
done
