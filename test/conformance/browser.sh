#!/usr/bin/env bash
# The workbench in a real Chromium: upload, prompt, live steps, fields, cancel,
# reload, a server that dies, forms, plots, the admin page, a token, axe-core.
# Chromium is installed from Debian's packages where it is missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/conformance/common.sh

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$chromium" ]; then
  install='apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium'
  if [ "$(id -u)" -eq 0 ]; then
    sh -c "$install" >/dev/null
  elif command -v sudo >/dev/null; then
    sudo sh -c "$install" >/dev/null
  else
    echo "missing: chromium - run as root: $install" >&2
    exit 1
  fi
  chromium=$(command -v chromium)
fi

test/conformance/workbench.sh check
need_node
npm_packages browser test/conformance/browser
mkdir -p .cache/browser/shots
cp test/conformance/browser/*.mjs .cache/browser/ # beside the modules that they import

export CHROMIUM=$chromium ATELIER_TREE=$PWD SHOTS=$PWD/.cache/browser/shots MODULES=$PWD/.cache/browser/node_modules
export ATELIER_BIN=${ATELIER_BIN:-$PWD/bin/atelier} ATELIER_ENGINES=${ATELIER_ENGINES:-$PWD/.engines}
work_folder
counted test/conformance/workbench.sh test
solids=$dir
"$ATELIER_ENGINES/vtk/bin/python3" test/conformance/browser/solids.py "$solids"
esbuild=$(echo .cache/workbench/node_modules/@esbuild/*/bin/esbuild)
"$esbuild" test/conformance/browser/kernels.ts --bundle --format=esm --log-level=warning --outfile="$solids/kernels.mjs"
counted node test/conformance/browser/geometry.mjs "$solids/kernels.mjs" "$solids"

counted node .cache/browser/tests.mjs
# The one test of the program that needs a Chromium.
counted go run ./test/gotest -count=1 -run '^TestBrowser$' ./internal/tools/web/fetch
closing
