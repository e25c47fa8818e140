#!/usr/bin/env bash
# The agent's loop with aimock as the model, which is not of this project: a
# scripted conversation of ten turns, twice, and a hundred sessions at once.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/conformance/common.sh
started=$SECONDS
need_node
npm_packages openai-npm test/conformance/openai
work_folder

begin() { # name, fixtures: a model and a server of their own
  aimock "$1" "$2"
  serve_as "$1" --root "$dir" --log-level warn --model-url "$AIMOCK_URL/v1" --model upstream-1
  export ATELIER_PID=${pids[-1]} ATELIER_URL=$url
}
failed() {
  tail -n 30 "$dir"/*.log >&2
  exit 1
}

export PYTHONDONTWRITEBYTECODE=1
for run in first second; do
  begin "$run" test/conformance/agent/fixtures.json
  timeout 100 python3 test/conformance/agent/ten.py >"$dir/$run.calls" 2>"$dir/$run.checks" || { cat "$dir/$run.checks" >&2; failed; }
done
cmp "$dir/first.calls" "$dir/second.calls" || { echo "the same transcript made other calls" >&2; exit 1; }
python3 test/conformance/agent/crowd.py --fixtures >"$dir/crowd.json"
begin crowd "$dir/crowd.json"
timeout 200 python3 test/conformance/agent/crowd.py >"$dir/figures" || failed
checks=$(awk '{n += $2} END {print n}' "$dir/first.checks" "$dir/second.checks")
echo "test-agent: ten turns with $(wc -l <"$dir/first.calls") calls, the same twice ($checks checks); $(cat "$dir/figures"); $((SECONDS - started)) s"
echo "$((checks + 1 + $(sed -n 's/ sessions at once.*//p' "$dir/figures"))) passed, 0 failed, 0 skipped"
