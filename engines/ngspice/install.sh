#!/usr/bin/env bash
# ngspice itself is the system's (apt.txt, brew.txt). On Linux this builds the
# small library that keeps its temporary file out of /tmp.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
target="${ATELIER_ENGINES:-$here/../../.engines}/ngspice"
if ! command -v ngspice >/dev/null; then
  echo "ngspice: the program is not installed" >&2
  exit 1
fi
if [ "$(uname -s)" = Linux ]; then
  stamp="$(cat "$here/install.sh" "$here/tmpfile.c" | sha256sum | cut -d' ' -f1)"
  if [ ! -f "$target/lib/tmpfile.so" ] || [ "$(cat "$target/stamp" 2>/dev/null)" != "$stamp" ]; then
    mkdir -p "$target/lib"
    "${CC:-cc}" -O2 -Wall -Wextra -shared -fPIC -o "$target/lib/tmpfile.so" "$here/tmpfile.c"
    echo "$stamp" >"$target/stamp"
  fi
fi
version="$(ngspice --version 2>/dev/null | sed -n 's/.*ngspice-\([0-9.]*\).*/\1/p' | head -n 1)"
echo "ngspice: ${version:-unknown version}, the system's"
