#!/usr/bin/env bash
# Runs every block of docs/clients.md, as a reader would copy it, against a real
# server: the SDKs, the agent frameworks, and the clients' configurations.
set -euo pipefail
cd "$(dirname "$0")/.."
source lanes/common.sh

python_packages clients lanes/clients/requirements.txt
npm_packages clients-npm lanes/clients

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
mkdir -p "$dir/parts" "$dir/work/go" "$dir/work/js"
cp lanes/clients/go.mod lanes/clients/go.sum "$dir/work/go/"
ln -s "$PWD/.cache/clients-npm/node_modules" "$dir/work/js/node_modules"
.cache/clients/bin/python lanes/clients/run.py docs/clients.md "$url" "$PWD/bin/atelier" "$dir/parts" "$dir/work"
