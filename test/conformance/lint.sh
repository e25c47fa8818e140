#!/usr/bin/env bash
# gofmt, go vet, staticcheck, clang-format, clippy, ruff, shellcheck's syntax pass.
set -euo pipefail
cd "$(dirname "$0")/../.."
cache=$PWD/.cache/lint
mkdir -p "$cache"

echo "gofmt, go vet, staticcheck"
unformatted=$(git ls-files '*.go' | xargs gofmt -l)
if [ -n "$unformatted" ]; then
  echo "not formatted by gofmt: $unformatted" >&2
  exit 1
fi
go vet ./...
go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

echo "ruff, clang-format"
# Both ship as wheels, so that every machine formats alike.
if [ ! -x "$cache/bin/ruff" ] || [ ! -x "$cache/bin/clang-format" ]; then
  python3 -m venv "$cache"
  "$cache/bin/pip" install --quiet --require-hashes --only-binary :all: -r test/conformance/lint-requirements.txt
fi
"$cache/bin/ruff" check .
"$cache/bin/ruff" format --check .
git ls-files '*.cpp' '*.hpp' | xargs -r "$cache/bin/clang-format" --dry-run --Werror

if [ -f engines/truck/Cargo.toml ]; then
  echo "clippy, rustfmt"
  (cd engines/truck && cargo fmt --check && CARGO_TARGET_DIR="${ATELIER_ENGINES:-$OLDPWD/.engines}/truck/target" cargo clippy --quiet --locked --all-targets -- -D warnings)
fi

for script in $(git ls-files '*.sh' .ci/run); do bash -n "$script"; done
echo "lint: clean"
