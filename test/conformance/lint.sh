#!/usr/bin/env bash
# Every linter over every file of its language; all are run, whichever fails.
set -euo pipefail
cd "$(dirname "$0")/../.."
cache=$PWD/.cache/lint
passed=0 failed=0

# check NAME COMMAND... runs a linter, and shows what it says where it fails.
check() {
  local name=$1 said
  shift
  if said=$("$@" 2>&1); then
    passed=$((passed + 1))
    echo "$name: clean"
  else
    failed=$((failed + 1))
    echo "$name:" >&2
    echo "${said:-failed}" >&2
  fi
}

# The tracked files and the new ones, by pattern, without those that are deleted.
sources() { git ls-files --cached --others --exclude-standard --deduplicate "$@" | while read -r f; do [ ! -f "$f" ] || echo "$f"; done; }

formatted_go() {
  local off
  off=$(sources '*.go' | xargs gofmt -l)
  [ -z "$off" ] || { echo "not formatted by gofmt: $off"; return 1; }
}
formatted_cpp() { sources '*.c' '*.h' '*.cc' '*.cpp' '*.hpp' | xargs "$cache/bin/clang-format" --dry-run --Werror; }
shells() { sources '*.sh' .ci/run | xargs "$cache/bin/shellcheck" -x; }
rust() { (cd engines/truck && "$@"); }

# ruff, clang-format and shellcheck ship as wheels, so that every machine judges alike.
if ! cmp -s test/conformance/lint-requirements.txt "$cache/requirements.txt"; then
  python3 -m venv "$cache"
  "$cache/bin/pip" install --quiet --no-deps --require-hashes --only-binary :all: -r test/conformance/lint-requirements.txt
  cp test/conformance/lint-requirements.txt "$cache/requirements.txt"
fi
CARGO_TARGET_DIR=${ATELIER_ENGINES:-$PWD/.engines}/truck/target
export CARGO_TARGET_DIR

check gofmt formatted_go
check "go vet" go vet ./...
check staticcheck go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
check "ruff check" "$cache/bin/ruff" check .
check "ruff format" "$cache/bin/ruff" format --check .
check clang-format formatted_cpp
check shellcheck shells
check rustfmt rust cargo fmt --check
check clippy rust cargo clippy --quiet --locked --all-targets -- -D warnings
check "prettier, tsc, and workbench/dist against its sources" test/conformance/workbench.sh check

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
