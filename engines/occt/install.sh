#!/usr/bin/env bash
# Builds the OpenCASCADE driver, its tests and the bracket example into
# $ATELIER_ENGINES/occt (default: .engines/occt). OpenCASCADE itself comes from
# the system's packages (apt.txt, brew.txt).
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
dest="${ATELIER_ENGINES:-$here/../../.engines}/occt"
mkdir -p "$dest"
dest="$(cd "$dest" && pwd)"
bracket="$here/../../examples/bracket"

sha() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi; }
stamp="$(cd "$here" && cat install.sh apt.txt CMakeLists.txt src/* tests/* ../include/*.hpp ../include/testing/* "$bracket"/*.cc | sha | cut -d' ' -f1)"
if [ -x "$dest/bin/occt-driver" ] && [ "$(cat "$dest/stamp" 2>/dev/null)" = "$stamp" ]; then
  echo "occt: up to date"
  exit 0
fi

log="$dest/build.log"
if ! { cmake -S "$here" -B "$dest/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$dest" &&
       cmake --build "$dest/build" -j "${ATELIER_JOBS:-2}" &&
       cmake --install "$dest/build"; } >"$log" 2>&1; then
  tail -n 40 "$log" >&2
  echo "occt: the build failed; the whole log is $log" >&2
  exit 1
fi
[ -n "${ATELIER_KEEP_BUILD:-}" ] || rm -rf "$dest/build" # it names its folder, and a copy of it builds nothing
echo "$stamp" >"$dest/stamp"
echo "occt: built $("$dest/bin/occt-driver" --version)"
