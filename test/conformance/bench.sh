#!/usr/bin/env bash
# Requests per second side by side with a bare handler and other MCP servers,
# with a durable record for each of Atelier's calls; then what a tool call costs
# over its bare engine, and the durable inserts themselves. Prints figures;
# judges nothing. ROUNDS, SPAN and ONLY narrow the first part.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/conformance/common.sh

python_packages fastmcp test/bench/peers/requirements.txt
mkdir -p .cache/bench
go build -o .cache/bench/ ./test/bench ./test/bench/bare ./test/bench/peers/gosdk
.cache/bench/bench -python .cache/fastmcp/bin/python -rounds "${ROUNDS:-5}" -span "${SPAN:-2s}" -only "${ONLY:-}"

go test -run '^$' -bench Overhead -benchtime "${BENCHTIME:-3s}" ./cmd/atelier
go test -run '^$' -bench . -benchtime "${BENCHTIME:-1s}" ./internal/store ./internal/job
