#!/usr/bin/env bash
# Judges the OpenAPI document and the server by it: Redocly lints the document,
# schemathesis calls every operation with the examples, with every boundary of
# every schema, and with random values, right and wrong, and holds each answer
# against the document. Zero failures, or the suite fails.
# Usage: test/conformance/openapi.sh [examples of each operation, default 20; releases are held against 40]
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/conformance/common.sh
examples=${1:-20}

need_node
npm_packages openapi test/conformance/openapi
python_packages schemathesis test/conformance/openapi/requirements.txt

work_folder
mkdir "$dir/root"
# With a token, so that each operation is also called without one, or a wrong one.
ATELIER_TOKEN=$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')
export ATELIER_TOKEN
# Nothing leaves the machine: one page is served here, and no hub of models.
mkdir "$dir/pages"
printf '<title>A page</title><h1>A page</h1><p>%s</p>' "$(yes 'Words that make a sentence of some length.' | head -n 40 | tr '\n' ' ')" >"$dir/pages/page"
python3 -u -m http.server --bind 127.0.0.1 --directory "$dir/pages" 0 >"$dir/pages.log" 2>&1 &
pids+=($!)
until page=$(sed -n 's/.*(\(http:[^)]*\)).*/\1page/p' "$dir/pages.log") && [ -n "$page" ]; do
  kill -0 "${pids[-1]}"
  sleep 0.1
done
export ATELIER_WEB_MODEL_HUB=http://127.0.0.1:9
serve --root "$PWD" --root "$dir/root" --log-level warn --web-allow "$(cut -d/ -f3 <<<"$page")"

# The document in both forms, and a session, without which most calls about
# sessions would end as not found.
session=$(
  python3 - "$url" "$dir" <<'PY'
import json
import os
import sys
import urllib.request

url, folder = sys.argv[1:]
token = {"Authorization": "Bearer " + os.environ["ATELIER_TOKEN"]}
for form in ("json", "yaml"):
    with urllib.request.urlopen(urllib.request.Request(f"{url}/openapi.{form}", headers=token)) as answer:
        with open(f"{folder}/openapi.{form}", "wb") as file:
            file.write(answer.read())
headers = {"Content-Type": "application/json", **token}
with urllib.request.urlopen(urllib.request.Request(f"{url}/v1/sessions", b"{}", headers)) as answer:
    print(json.load(answer)["session_id"])
PY
)

python3 test/conformance/openapi/solids.py "$dir/openapi.json" "$dir/fuzzed.json" "$dir/root" examples/bracket/bracket.step "$page"

counted python3 test/conformance/openapi/examples.py "$dir/openapi.json" "$url" "$page"

export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
cp test/conformance/openapi/redocly.yaml "$dir/redocly.yaml"
cp test/conformance/openapi/redocly-ignore.yaml "$dir/.redocly.lint-ignore.yaml"
redocly=$PWD/.cache/openapi/node_modules/.bin/redocly
for form in json yaml; do
  (cd "$dir" && "$redocly" lint --config redocly.yaml --max-problems 20 "openapi.$form") >"$dir/redocly" 2>&1 || {
    cat "$dir/redocly" >&2
    exit 1
  }
done

{
  cat test/conformance/openapi/schemathesis.toml test/conformance/openapi/tools.toml
  printf '\n[[operations]]\ninclude-path-regex = "^/v1/sessions/[{]id[}]/"\nparameters = { "path.id" = "%s" }\n' "$session"
} >"$dir/schemathesis.toml"
started=$SECONDS
if ! (cd "$dir" && "$OLDPWD/.cache/schemathesis/bin/schemathesis" --config-file schemathesis.toml run fuzzed.json --url "$url" --header "Authorization: Bearer $ATELIER_TOKEN" \
  --phases examples,coverage,fuzzing --checks all --max-examples "$examples" --no-color >"$dir/fuzz" 2>&1); then
  cat "$dir/fuzz" >&2
  tail -20 "$dir/data.log" >&2
  exit 1
fi
if ! kill -0 "${pids[-1]}" 2>/dev/null; then
  echo "the server did not survive" >&2
  tail -50 "$dir/data.log" >&2
  exit 1
fi
operations=$(sed -n 's/^ *Tested: //p' "$dir/fuzz")
cases=$(sed -n 's/^ *\([0-9]* generated, [0-9]* passed\).*/\1/p' "$dir/fuzz")
echo "openapi: Redocly has nothing against the document; schemathesis: $operations operations, $cases, in $((SECONDS - started)) s"
# Two documents by Redocly, and the operations.
echo "$((2 + ${operations%%/*})) passed, 0 failed, 0 skipped" >>"$dir/counts"
closing
