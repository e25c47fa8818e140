#!/usr/bin/env bash
# Holds the notebook tools against Jupyter's own nbformat and nbclient, against
# papermill, and against CPython's parser: a lesson is built over HTTP, validated
# and run from top to bottom, here and by validator.run_execution with the same
# outputs; parameters are injected as papermill does; every flawed notebook of the
# oracle is fixed for Colab. Without the oracle (ATELIER_SHARED) that part is
# left out.
set -euo pipefail
cd "$(dirname "$0")/../.."
source test/conformance/common.sh

engines/install.sh notebook
python_packages notebook test/conformance/notebook/requirements.txt
work_folder
serve --root "$dir" --log-level error
JUPYTER_PLATFORM_DIRS=1 HOME=$dir .cache/notebook/bin/python test/conformance/notebook/check.py "$url" "${ATELIER_SHARED:-../shared}"
