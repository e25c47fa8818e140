#!/usr/bin/env bash
# Requests per second with a durable record each, and what a tool call costs
# over its bare engine. Prints figures; judges nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
go test -run '^$' -bench 'Echo|Overhead' -benchtime "${BENCHTIME:-3s}" ./cmd/atelier
go test -run '^$' -bench . -benchtime "${BENCHTIME:-1s}" ./store ./job
