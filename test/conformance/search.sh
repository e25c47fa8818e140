#!/usr/bin/env bash
# search.web through a real LiteLLM proxy, with a search service in the shape of
# SearXNG behind it: over HTTP and stdio MCP, and with everything that breaks on
# the way. The proxy needs 500 MB in .cache the first time.
set -euo pipefail
cd "$(dirname "$0")/../.."
source test/conformance/common.sh
started=$SECONDS
atelier=${ATELIER_BIN:-$PWD/bin/atelier}
python_packages search test/conformance/search/requirements.txt
python=$PWD/.cache/search/bin/python
export PYTHONDONTWRITEBYTECODE=1
work_folder

free_port() { "$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
upstream_port=$(free_port)
"$python" test/conformance/search/upstream.py "$upstream_port" "$dir/asked" &
upstream=$!
pids+=("$upstream")

proxy_port=$(free_port)
cat >"$dir/litellm.yaml" <<YAML
model_list: []
search_tools:
  - search_tool_name: local-search
    litellm_params: {search_provider: searxng, api_base: "http://127.0.0.1:$upstream_port"}
general_settings: {master_key: sk-suite-master}
litellm_settings: {telemetry: false}
YAML
LITELLM_LOCAL_MODEL_COST_MAP=True HOME=$dir "$PWD/.cache/search/bin/litellm" --config "$dir/litellm.yaml" --host 127.0.0.1 --port "$proxy_port" >"$dir/litellm.log" 2>&1 &
proxy=$!
pids+=("$proxy")
proxy_url=http://127.0.0.1:$proxy_port
for _ in $(seq 600); do
  curl -fsS -o /dev/null "$proxy_url/health/liveliness" 2>/dev/null && break
  kill -0 "$proxy" 2>/dev/null || { cat "$dir/litellm.log" >&2; exit 1; }
  sleep 0.2
done

checks=0
run() { # the part of check.py, and what it needs
  local n
  n=$("$python" test/conformance/search/check.py "$@")
  checks=$((checks + n))
}
flags=(--search-backend litellm --search-url "$proxy_url" --search-tool local-search)

export ATELIER_SEARCH_KEY=sk-suite-master
serve_as plain --log-level error "${flags[@]}"
good=$url
run http "$good"
run mcp "$atelier" mcp --data "$dir/stdio" --family web-fetch --names canonical "${flags[@]}"

serve_as filtered --log-level error "${flags[@]}" --search-domain example.org
curl -fsS "$url/v1/tools/search.web" -H 'Content-Type: application/json' -d '{"query":"durable queue","max_results":12}' >"$dir/filtered.json"
"$python" - "$dir/filtered.json" <<'PY'
import json, sys
found = [r["url"] for r in json.load(open(sys.argv[1]))["results"]]
sys.exit(0 if len(found) == 12 and all("docs.example.org" in u for u in found) else f"search: the domain filter lets through {found}")
PY
checks=$((checks + 1))

serve_as unknown --log-level error --search-backend litellm --search-url "$proxy_url" --search-tool nobody
run "unknown tool" "$url" 502 upstream_failure --search-tool
ATELIER_SEARCH_KEY=sk-suite-wrong serve_as wrong --log-level error "${flags[@]}"
run "wrong key" "$url" 502 upstream_failure --search-key
ATELIER_SEARCH_KEY='' serve_as keyless --log-level error "${flags[@]}"
run "no key" "$url" 502 upstream_failure --search-key
ATELIER_SEARCH_KEY='' serve_as direct --log-level error --search-backend searxng --search-url "http://127.0.0.1:$upstream_port"
curl -fsS "$url/v1/tools/search_web" -H 'Content-Type: application/json' -d '{"query":"durable queue","max_results":25}' | grep -q 'page 3'
checks=$((checks + 1))

kill "$upstream"
wait "$upstream" 2>/dev/null || true
run "service down" "$good" 502 upstream_failure "behind the proxy"
kill "$proxy"
wait "$proxy" 2>/dev/null || true
run "proxy down" "$good" 502 upstream_failure "cannot be reached"
if grep -q 'sk-suite' "$dir"/{plain,filtered,unknown,wrong,keyless,direct}.{log,out}; then
  echo "search: the key stands in a log" >&2
  exit 1
fi
echo "search: $checks checks with LiteLLM $("$python" -c 'import importlib.metadata as m; print(m.version("litellm"))') passed in $((SECONDS - started)) s; $(du -sm .cache/search | cut -f1) MB installed"
echo "$checks passed, 0 failed, 0 skipped"
