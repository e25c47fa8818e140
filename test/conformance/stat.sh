#!/usr/bin/env bash
# Holds the statistical tools against mpmath (50 digits), statsmodels, SciPy and
# pingouin:
# random tables go as captures through HTTP, and every figure of the answers is
# compared with the same figure of the same decimals.
# Usage: test/conformance/stat.sh [tables, default 200]
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/conformance/common.sh

python_packages stat test/conformance/stat/requirements.txt
work_folder
serve --root "$dir" --log-level error
counted .cache/stat/bin/python test/conformance/stat/compare.py "$url" "${1:-200}"
counted .cache/stat/bin/python test/conformance/stat/anova.py "$url" "${1:-200}"
counted .cache/stat/bin/python test/conformance/stat/series.py "$url" "${1:-200}"
counted .cache/stat/bin/python test/conformance/stat/models.py "$url" "${1:-200}"
closing
