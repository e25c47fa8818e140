#!/usr/bin/env bash
# The operating point of amplifier.cir and its gain at 10 kHz, in one request.
set -euo pipefail
cd "$(dirname "$0")"
url=${ATELIER_URL:-http://127.0.0.1:8080}

python3 -c 'import json; print(json.dumps({"tool": "circuits.simulate", "input": {
  "netlist": open("amplifier.cir").read(),
  "control": ["op", "ac dec 20 10 1meg", "meas ac gain find vm(out) at=10k"]}}))' |
  curl -fsS "$url/v1/tools/execute" -H 'Content-Type: application/json' -d @- |
  python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["summary"] or r["stderr"]); print(r["output"]["measurements"])'
