#!/usr/bin/env bash
# Builds the MFEM driver and its tests into $ATELIER_ENGINES/mfem (default:
# .engines/mfem).
# MFEM's library and headers come from the pinned wheel, which is not installed
# into any Python.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
dest="${ATELIER_ENGINES:-$here/../../.engines}/mfem"
mkdir -p "$dest"
dest="$(cd "$dest" && pwd)"
march="${ATELIER_MARCH:-}"
if [ -z "$march" ] && grep -qs avx2 /proc/cpuinfo && grep -qs fma /proc/cpuinfo; then march=x86-64-v3; fi

sha() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi; }
stamp="$(cd "$here" && { cat install.sh requirements.txt CMakeLists.txt src/* tests/* ../include/*.hpp ../include/testing/*; echo "$march"; } | sha | cut -d' ' -f1)"
if [ -x "$dest/bin/mfem-driver" ] && [ "$(cat "$dest/stamp" 2>/dev/null)" = "$stamp" ]; then
  echo "mfem: up to date"
  exit 0
fi

fetch_stamp="$(sha <"$here/requirements.txt" | cut -d' ' -f1)"
if [ "$(cat "$dest/fetched" 2>/dev/null)" != "$fetch_stamp" ]; then
  work="$dest/download"
  rm -rf "$work" "${dest:?}/lib" "$dest/include" "$dest/fetched"
  mkdir -p "$work" "$dest/lib"
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) platforms="--platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64" ;;
    Darwin-arm64) platforms="--platform macosx_14_0_arm64" ;;
    *) echo "mfem: there is no wheel for $(uname -s) $(uname -m)" >&2; exit 1 ;;
  esac
  pip="python3 -m pip --disable-pip-version-check download --quiet --no-deps --require-hashes --dest $work"
  # shellcheck disable=SC2086
  $pip --only-binary=:all: --python-version 3.11 $platforms -r "$here/requirements.txt"
  python3 - "$work" "$dest" <<'PY'
import pathlib, sys, zipfile
work, dest = map(pathlib.Path, sys.argv[1:])
root = "mfem/external/ser/"
with zipfile.ZipFile(next(work.glob("mfem-*.whl"))) as wheel:
    for name in wheel.namelist():
        part = name.removeprefix(root)
        if part == name or name.endswith("/"):
            continue
        if part.startswith("include/") or part.startswith("lib/libmfem.") and "common" not in part:
            out = dest / part
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_bytes(wheel.read(name))
PY
  rm -rf "$work"
  echo "$fetch_stamp" >"$dest/fetched"
fi

log="$dest/build.log"
if ! { cmake -S "$here" -B "$dest/build" -DMFEM_ROOT="$dest" \
         -DATELIER_MARCH="$march" -DCMAKE_INSTALL_PREFIX="$dest" &&
       cmake --build "$dest/build" -j "${ATELIER_JOBS:-2}" &&
       cmake --install "$dest/build"; } >"$log" 2>&1; then
  tail -n 40 "$log" >&2
  echo "mfem: the build failed; the whole log is $log" >&2
  exit 1
fi
# The wheel holds the library twice, under both of its names: one is enough.
(cd "$dest/lib" && for f in libmfem.so.*; do [ -e "$f" ] && ln -sf "$f" libmfem.so; done)
[ -n "${ATELIER_KEEP_BUILD:-}" ] || rm -rf "$dest/build" # 260 MB, nearly all of it the precompiled header
echo "$stamp" >"$dest/stamp"
echo "mfem: built $("$dest/bin/mfem-driver" --version)"
