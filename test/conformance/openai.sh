#!/usr/bin/env bash
# The OpenAI-style routes under the official clients and two agent frameworks,
# with and without a model; the model is aimock, which is not of this project.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/conformance/common.sh
started=$SECONDS
need_node
npm_packages openai-npm test/conformance/openai
python_packages openai-python test/conformance/openai/requirements.txt
python=$PWD/.cache/openai-python/bin/python
work_folder

aimock drivers test/conformance/openai/fixtures.json
serve_as bare --root "$dir" --log-level warn
export ATELIER_BARE=$url
# aimock keeps no more than 64 kB of a request; the schemas of all tools are more.
serve_as model --root "$dir" --log-level warn --family circuit,mesh,util --model-url "$AIMOCK_URL/v1" --model upstream-1
export ATELIER_WITH_MODEL=$url

export OPENAI_AGENTS_DISABLE_TRACING=1 PYTHONDONTWRITEBYTECODE=1
status=0
for driver in test/conformance/openai/{shapes,sdk,agents_sdk,pydantic_agents,documented}.py; do
  timeout 100 "$python" "$driver" | tee -a "$dir/figures" || status=1
done
timeout 60 node test/conformance/openai/sdk.mjs "$PWD/.cache/openai-npm/node_modules/openai/index.mjs" | tee -a "$dir/figures" || status=1
if [ $status -ne 0 ]; then
  tail -n 30 "$dir"/*.log >&2
  exit 1
fi
checks=$(awk '{n += $2} END {print n}' "$dir/figures")
echo "test-openai: $checks checks of 6 drivers passed in $((SECONDS - started)) s"
echo "$checks passed, 0 failed, 0 skipped"
