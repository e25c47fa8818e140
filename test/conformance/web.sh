#!/usr/bin/env bash
# web.fetch of a running server under a hundred hostile pages: deep, endless,
# packed, broken, looping. Every call must end in time with a code, and the
# server with the processes that it starts stay below 300 MB.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/conformance/common.sh

work_folder
go build -o "$dir/endure" ./test/bench/web/endure
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
serve --root "$dir" --log-level error --family web-fetch --web-allow "127.0.0.1:$port" --web-per-second=-1
counted "$dir/endure" -listen "127.0.0.1:$port" -server "$url" -pid "${pids[-1]}"
# Its memory limit is too small for the race detector of make test.
counted go run ./test/gotest -count=1 -run '^TestPoolEnds' ./internal/tools/web/fetch/extract
closing
