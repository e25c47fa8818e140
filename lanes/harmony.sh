#!/usr/bin/env bash
# Holds the Harmony wire against openai-harmony itself: conversations, the whole
# catalogue, completions read, and a loop over a running server. The vocabulary
# is made from the npm package tiktoken, because the wheel downloads it.
# Usage: lanes/harmony.sh [--write]   (--write: make the fixtures' texts anew)
set -euo pipefail
cd "$(dirname "$0")/.."
source lanes/common.sh

python_packages harmony lanes/harmony/requirements.txt
npm_packages harmony-vocabulary lanes/harmony
export TIKTOKEN_ENCODINGS_BASE=$PWD/.cache/harmony-vocabulary
if [ ! -f "$TIKTOKEN_ENCODINGS_BASE/o200k_base.tiktoken" ]; then
  python3 lanes/harmony/vocabulary.py \
    "$TIKTOKEN_ENCODINGS_BASE/node_modules/tiktoken/encoders/o200k_base.json" "$TIKTOKEN_ENCODINGS_BASE"
fi
python=.cache/harmony/bin/python
if [ "${1:-}" = --write ]; then
  exec "$python" lanes/harmony/check.py --write
fi

dir=$(mktemp -d)
pid=
stop() {
  if [ -n "$pid" ]; then
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  fi
  rm -rf "$dir"
}
trap stop EXIT

bin/atelier serve --addr 127.0.0.1:0 --data "$dir/data" --root "$dir" --log-level error >"$dir/out" 2>"$dir/err" &
pid=$!
url=
for _ in $(seq 100); do
  url=$(sed -n 's/^atelier .* at \(http:.*\)$/\1/p' "$dir/out")
  if [ -n "$url" ] || ! kill -0 "$pid" 2>/dev/null; then
    break
  fi
  sleep 0.1
done
if [ -z "$url" ]; then
  cat "$dir/err" >&2
  exit 1
fi
bin/atelier harmony >"$dir/prompt"
NODE_PATH=$TIKTOKEN_ENCODINGS_BASE/node_modules node lanes/harmony/typescript.js "$dir/prompt"
"$python" lanes/harmony/check.py bin/atelier "$url" "${ATELIER_SHARED:-../shared}"
