#!/usr/bin/env bash
# The agent's loop with aimock as the model, which is not of this project: a
# scripted conversation of ten turns, twice, and a hundred sessions at once.
set -euo pipefail
cd "$(dirname "$0")/.."
. lanes/common.sh
started=$SECONDS
need_node
npm_packages openai-npm lanes/openai
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
begin() { # name, fixtures: a model and a server of their own
  local port
  port=$(free_port)
  node .cache/openai-npm/node_modules/@copilotkit/aimock/dist/cli.js -p "$port" -f "$2" \
    --validate-on-load --strict --log-level warn >"$work/$1-model.log" 2>&1 &
  pids+=($!)
  export AIMOCK_URL=http://127.0.0.1:$port
  answers "$AIMOCK_URL/__aimock/journal"
  port=$(free_port)
  bin/atelier serve --addr "127.0.0.1:$port" --data "$work/$1" --root "$work" --log-level warn \
    --model-url "$AIMOCK_URL/v1" --model upstream-1 >"$work/$1.log" 2>&1 &
  export ATELIER_PID=$! ATELIER_URL=http://127.0.0.1:$port
  pids+=("$ATELIER_PID")
  answers "$ATELIER_URL/healthz"
}
failed() {
  tail -n 30 "$work"/*.log >&2
  exit 1
}

export PYTHONDONTWRITEBYTECODE=1
for run in first second; do
  begin "$run" lanes/agent/fixtures.json
  timeout 100 python3 lanes/agent/ten.py >"$work/$run.calls" 2>"$work/$run.checks" || { cat "$work/$run.checks" >&2; failed; }
done
cmp "$work/first.calls" "$work/second.calls" || { echo "the same transcript made other calls" >&2; exit 1; }
python3 lanes/agent/crowd.py --fixtures >"$work/crowd.json"
begin crowd "$work/crowd.json"
timeout 200 python3 lanes/agent/crowd.py >"$work/figures" || failed
echo "test-agent: ten turns with $(wc -l <"$work/first.calls") calls, the same twice ($(awk '{n += $2} END {print n}' "$work/first.checks" "$work/second.checks") checks); $(cat "$work/figures"); $((SECONDS - started)) s"
