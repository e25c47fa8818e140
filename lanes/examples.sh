#!/usr/bin/env bash
# Runs every example as its README says, against a real server, and holds the
# figures against hand calculations: curl, the OpenAI client, the MCP
# configuration, the prompt for the workbench.
set -euo pipefail
cd "$(dirname "$0")/.."
source lanes/common.sh
started=$SECONDS

python_packages clients lanes/clients/requirements.txt

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
PYTHONDONTWRITEBYTECODE=1 ATELIER_URL=$url .cache/clients/bin/python lanes/examples/check.py "$url" "$PWD" "$dir"
echo "test-examples: done in $((SECONDS - started)) s"
