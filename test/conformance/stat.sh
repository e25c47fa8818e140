#!/usr/bin/env bash
# Holds the statistical tools against mpmath (50 digits), statsmodels, SciPy and
# pingouin:
# random tables go as captures through HTTP, and every figure of the answers is
# compared with the same figure of the same decimals.
# Usage: test/conformance/stat.sh [tables, default 80; releases are held against 200]
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/conformance/common.sh

tables=${1:-80}
python_packages stat test/conformance/stat/requirements.txt
work_folder
serve --root "$dir" --log-level error

# Two at a time: each one computes in its own process and only asks the server.
compared() {
  local name asked=() fault=0 others=("${pids[@]}")
  for name in "$@"; do
    .cache/stat/bin/python "test/conformance/stat/$name.py" "$url" "$tables" >"$dir/$name.out" 2>&1 &
    asked+=($!)
    pids+=($!)
  done
  for name in "$@"; do
    wait "${asked[0]}" || fault=1
    asked=("${asked[@]:1}")
    counted cat "$dir/$name.out"
  done
  pids=("${others[@]}")
  return $fault
}
compared compare anova
compared series models
closing
