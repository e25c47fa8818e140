#!/usr/bin/env bash
# The frequency response of filter.cir, and where it is 3 dB down, in one request.
set -euo pipefail
cd "$(dirname "$0")"
url=${ATELIER_URL:-http://127.0.0.1:8080}

python3 -c 'import json; print(json.dumps({"tool": "circuits.simulate", "input": {
  "netlist": open("filter.cir").read(),
  "control": ["ac dec 50 10 100k", "meas ac corner when vdb(out)=-3.0103"]}}))' |
  curl -fsS "$url/v1/tools/execute" -H 'Content-Type: application/json' -d @- |
  python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["summary"] or r["stderr"]); print(r["output"]["measurements"])'
