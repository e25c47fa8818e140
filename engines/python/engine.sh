#!/usr/bin/env bash
# Sourced by the installers of engines in Python.
#
#   install_python_engine NAME FOLDER [after_install]
#
# makes a virtual environment of its own at $ATELIER_ENGINES/NAME with the pinned,
# hashed packages of FOLDER/requirements.txt, the package FOLDER/atelier_NAME with the
# modules that all share (protocol.py, codes.py), and the launcher bin/NAME-driver.
# It does nothing when nothing has changed. after_install is called once the packages are there, with the site's folder.

# A Python below /usr is preferred as the base: the sandbox can read it, while one
# in somebody's home may be out of its reach.
find_python() {
  local candidate
  for candidate in "${ATELIER_PYTHON:-}" /usr/bin/python3 python3 python3.13 python3.12 python3.11; do
    if [ -n "$candidate" ] && command -v "$candidate" >/dev/null &&
      "$candidate" -c 'import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' >/dev/null 2>&1; then
      echo "$candidate"
      return 0
    fi
  done
  echo "no Python 3.11 to 3.14 with venv; on Debian: apt-get install python3-venv (or set ATELIER_PYTHON)" >&2
  return 1
}

# The kernel cuts a "#!" line at 127 bytes on older systems; then /bin/sh starts Python.
write_launcher() {
  local target="$1" name="$2" launcher="$1/bin/$2-driver"
  if [ "${#target}" -lt 100 ]; then
    printf '#!%s -IB\n' "$target/bin/python" >"$launcher"
  else
    printf "#!/bin/sh\n'''exec' '%s' -IB \"\$0\" \"\$@\"\n' '''\n" "$target/bin/python" >"$launcher"
  fi
  printf 'import sys\n\nfrom atelier_%s.driver import main\n\nsys.exit(main(sys.argv[1:]))\n' "$name" >>"$launcher"
  chmod +x "$launcher"
}

install_python_engine() {
  local name="$1" here="$2" after="${3:-true}" target python packages site fingerprint sources
  target="${ATELIER_ENGINES:-$here/../../.engines}/$name"
  mkdir -p "$target"
  target="$(cd "$target" && pwd)"
  sources=("$here/../python/engine.sh" "$here"/../python/*.py "$here/install.sh" "$here/requirements.txt" "$here/atelier_$name"/*.py)
  fingerprint="$(cat "${sources[@]}" | { sha256sum 2>/dev/null || shasum -a 256; })"
  fingerprint="${fingerprint%% *}"
  if [ -x "$target/bin/$name-driver" ] && [ "$(cat "$target/stamp" 2>/dev/null)" = "$fingerprint" ]; then
    echo "$name: up to date in $target"
    return 0
  fi
  rm -f "$target/stamp"
  python="$(find_python)" || {
    echo "$name: cannot be installed" >&2
    return 1
  }
  packages="$(cksum <"$here/requirements.txt")"
  if [ ! -x "$target/bin/python" ] || [ "$(cat "$target/packages" 2>/dev/null)" != "$packages" ]; then
    rm -rf "$target"
    "$python" -m venv "$target"
    "$target/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
      --require-hashes -r "$here/requirements.txt"
    echo "$packages" >"$target/packages"
  fi
  site="$("$target/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')"
  rm -rf "$site/atelier_$name"
  mkdir -p "$site/atelier_$name"
  cp "$here/../python"/*.py "$here/atelier_$name"/*.py "$site/atelier_$name/"
  # Compiled now, since the sandboxed process cannot write its bytecode.
  "$target/bin/python" -m compileall -q "$site" >/dev/null 2>&1 || true
  "$after" "$target"
  write_launcher "$target" "$name"
  "$target/bin/$name-driver" --version >/dev/null
  echo "$fingerprint" >"$target/stamp"
  echo "$name: installed in $target"
}
