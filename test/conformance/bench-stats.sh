#!/usr/bin/env bash
# Measures the regression of a large table against pandas with statsmodels, side
# by side, whole processes. ROUNDS (5), ROWS (2000000); LARGEST (20000000) is how
# far the growth is measured: 100000000 takes 6 GB of disk and some minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/conformance/common.sh

python_packages bench-stats test/bench/stats/requirements.txt
mkdir -p .cache/bench
go build -o .cache/bench/stats-bench ./test/bench/stats
.cache/bench/stats-bench -atelier "${ATELIER_BIN:-bin/atelier}" -python .cache/bench-stats/bin/python \
  -rounds "${ROUNDS:-5}" -rows "${ROWS:-2000000}" -largest "${LARGEST:-20000000}"
