#!/usr/bin/env bash
# From the STEP file to the answer in two requests: a session with the part, and
# what is wanted of it. The server's own planner makes the calls; no model needed.
set -euo pipefail
cd "$(dirname "$0")"
url=${ATELIER_URL:-http://127.0.0.1:8080}

session=$(curl -fsS "$url/v1/sessions" -F "file=@pipe.step" | python3 -c 'import json, sys; print(json.load(sys.stdin)["session_id"])')
curl -fsS "$url/v1/sessions/$session/chat" -H 'Content-Type: application/json' -d '{
  "prompt": "Glycerine flows in on the left with 20 mm/s, parabolic, and out on the right. Coarse mesh. Show the pressure."
}' | python3 -c 'import json, sys; print(json.load(sys.stdin)["reply"])'
