#!/usr/bin/env bash
# Installs the notebook engine: a virtual environment of its own with pinned, hashed
# packages, the driver package, and the launcher bin/notebook-driver.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
target="${ATELIER_ENGINES:-$here/../../.engines}/notebook"
mkdir -p "$target"
target="$(cd "$target" && pwd)"

fingerprint="$(cat "$here/install.sh" "$here/requirements.txt" "$here"/atelier_notebook/*.py | sha256sum 2>/dev/null ||
  cat "$here/install.sh" "$here/requirements.txt" "$here"/atelier_notebook/*.py | shasum -a 256)"
fingerprint="${fingerprint%% *}"
if [ -x "$target/bin/notebook-driver" ] && [ "$(cat "$target/stamp" 2>/dev/null)" = "$fingerprint" ]; then
  echo "notebook: up to date in $target"
  exit 0
fi
rm -f "$target/stamp"

# A Python below /usr is preferred as the base: the sandbox can read it, while
# one in somebody's home may be out of its reach.
usable() {
  "$1" -c 'import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' >/dev/null 2>&1
}
python=""
for candidate in "${ATELIER_PYTHON:-}" /usr/bin/python3 python3 python3.13 python3.12 python3.11; do
  if [ -n "$candidate" ] && command -v "$candidate" >/dev/null && usable "$candidate"; then
    python="$candidate"
    break
  fi
done
if [ -z "$python" ]; then
  echo "notebook: no Python 3.11 to 3.14 with venv; on Debian: apt-get install python3-venv (or set ATELIER_PYTHON)" >&2
  exit 1
fi

packages="$(cksum <"$here/requirements.txt")"
if [ ! -x "$target/bin/python" ] || [ "$(cat "$target/packages" 2>/dev/null)" != "$packages" ]; then
  rm -rf "$target"
  "$python" -m venv "$target"
  "$target/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --require-hashes -r "$here/requirements.txt"
  echo "$packages" >"$target/packages"
fi

site="$("$target/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')"
rm -rf "$site/atelier_notebook"
mkdir -p "$site/atelier_notebook"
cp "$here"/atelier_notebook/*.py "$site/atelier_notebook/"
# Compiled now, since the sandboxed kernel cannot write its bytecode; and so are
# the lists of fonts, which matplotlib would otherwise make in each new kernel.
"$target/bin/python" -m compileall -q "$site" >/dev/null 2>&1 || true
MPLCONFIGDIR="$target/matplotlib-cache" "$target/bin/python" -I -c 'import matplotlib.font_manager' >/dev/null

# The kernel cuts a "#!" line at 127 bytes on older systems; then /bin/sh starts Python.
launcher="$target/bin/notebook-driver"
if [ "${#target}" -lt 100 ]; then
  printf '#!%s -IB\n' "$target/bin/python" >"$launcher"
else
  printf "#!/bin/sh\n'''exec' '%s' -IB \"\$0\" \"\$@\"\n' '''\n" "$target/bin/python" >"$launcher"
fi
cat >>"$launcher" <<'PY'
import sys

from atelier_notebook.driver import main

sys.exit(main(sys.argv[1:]))
PY
chmod +x "$launcher"
"$launcher" --version >/dev/null
echo "$fingerprint" >"$target/stamp"
echo "notebook: installed in $target"
