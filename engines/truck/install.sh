#!/usr/bin/env bash
# Builds the Truck driver into $ATELIER_ENGINES/truck (default: .engines/truck).
# Cargo.lock pins every crate with its checksum.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
dest="${ATELIER_ENGINES:-$here/../../.engines}/truck"
mkdir -p "$dest/bin"
dest="$(cd "$dest" && pwd)"

sha() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi; }
stamp="$(cd "$here" && cat install.sh Cargo.toml Cargo.lock src/* | sha | cut -d' ' -f1)"
if [ -x "$dest/bin/truck-driver" ] && [ "$(cat "$dest/stamp" 2>/dev/null)" = "$stamp" ]; then
  echo "truck: up to date"
  exit 0
fi
if ! command -v cargo >/dev/null; then
  echo "truck: cargo is missing; install Rust 1.85 or later (https://rustup.rs)" >&2
  exit 1
fi

log="$dest/build.log"
if ! (cd "$here" && CARGO_TARGET_DIR="$dest/target" cargo build --release --locked -j "${ATELIER_JOBS:-2}") >"$log" 2>&1; then
  tail -n 40 "$log" >&2
  echo "truck: the build failed; the whole log is $log" >&2
  exit 1
fi
cp "$dest/target/release/truck-driver" "$dest/bin/truck-driver.new"
mv "$dest/bin/truck-driver.new" "$dest/bin/truck-driver"
echo "$stamp" >"$dest/stamp"
echo "truck: built $("$dest/bin/truck-driver" --version)"
