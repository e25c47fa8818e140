#!/usr/bin/env bash
# The OpenAI-style routes under the official clients and two agent frameworks,
# with and without a model; the model is aimock, which is not of this project.
set -euo pipefail
cd "$(dirname "$0")/.."
. lanes/common.sh
started=$SECONDS
need_node
npm_packages openai-npm lanes/openai
python_packages openai-python lanes/openai/requirements.txt
python=$PWD/.cache/openai-python/bin/python
[ -x bin/atelier ] || { echo "bin/atelier is missing: run make build" >&2; exit 1; }

work=$(mktemp -d)
pids=()
finish() {
  kill "${pids[@]}" 2>/dev/null || true
  wait "${pids[@]}" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
answers() { # URL
  for _ in $(seq 150); do
    if curl -fsS -o /dev/null "$1" 2>/dev/null; then return; fi
    sleep 0.1
  done
  echo "$1 does not answer" >&2
  cat "$work"/*.log >&2
  exit 1
}

aimock_port=$(free_port)
node .cache/openai-npm/node_modules/@copilotkit/aimock/dist/cli.js -p "$aimock_port" -f lanes/openai/fixtures.json \
  --validate-on-load --strict --log-level warn >"$work/aimock.log" 2>&1 &
pids+=($!)
export AIMOCK_URL=http://127.0.0.1:$aimock_port
answers "$AIMOCK_URL/__aimock/journal"

serve() { # name, further flags
  local name=$1 port
  shift
  port=$(free_port)
  mkdir -p "$work/$name"
  bin/atelier serve --addr "127.0.0.1:$port" --data "$work/$name" --root "$work" --log-level warn "$@" >"$work/$name.log" 2>&1 &
  pids+=($!)
  answers "http://127.0.0.1:$port/healthz"
  url=http://127.0.0.1:$port
}
serve bare
export ATELIER_BARE=$url
serve model --model-url "$AIMOCK_URL/v1" --model upstream-1
export ATELIER_WITH_MODEL=$url

export OPENAI_AGENTS_DISABLE_TRACING=1 PYTHONDONTWRITEBYTECODE=1
status=0
for driver in lanes/openai/{shapes,sdk,agents_sdk,pydantic_agents,documented}.py; do
  timeout 100 "$python" "$driver" | tee -a "$work/figures" || status=1
done
timeout 60 node lanes/openai/sdk.mjs "$PWD/.cache/openai-npm/node_modules/openai/index.mjs" | tee -a "$work/figures" || status=1
if [ $status -ne 0 ]; then
  tail -n 30 "$work"/*.log >&2
  exit 1
fi
echo "test-openai: $(awk '{n += $2} END {print n}' "$work/figures") checks of 6 drivers passed in $((SECONDS - started)) s"
