#!/usr/bin/env bash
# Holds the Harmony protocol against openai-harmony itself: conversations, the whole
# catalogue, completions read, and a loop over a running server. The vocabulary
# is made from the npm package tiktoken, because the wheel downloads it.
# Usage: test/conformance/harmony.sh [--write]   (--write: make the fixtures' texts anew)
set -euo pipefail
cd "$(dirname "$0")/../.."
source test/conformance/common.sh

python_packages harmony test/conformance/harmony/requirements.txt
npm_packages harmony-vocabulary test/conformance/harmony
export TIKTOKEN_ENCODINGS_BASE=$PWD/.cache/harmony-vocabulary
if [ ! -f "$TIKTOKEN_ENCODINGS_BASE/o200k_base.tiktoken" ]; then
  python3 test/conformance/harmony/vocabulary.py \
    "$TIKTOKEN_ENCODINGS_BASE/node_modules/tiktoken/encoders/o200k_base.json" "$TIKTOKEN_ENCODINGS_BASE"
fi
python=.cache/harmony/bin/python
if [ "${1:-}" = --write ]; then
  exec "$python" test/conformance/harmony/check.py --write
fi

work_folder
serve --root "$dir" --log-level error
bin/atelier harmony >"$dir/prompt"
NODE_PATH=$TIKTOKEN_ENCODINGS_BASE/node_modules counted node test/conformance/harmony/typescript.js "$dir/prompt"
counted "$python" test/conformance/harmony/check.py bin/atelier "$url" "${ATELIER_SHARED:-../shared}"
closing
