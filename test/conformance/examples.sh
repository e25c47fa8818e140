#!/usr/bin/env bash
# Runs every example as its README says, against a real server, and holds the
# figures against hand calculations: curl, the OpenAI client, the MCP
# configuration, the prompt for the workbench.
set -euo pipefail
cd "$(dirname "$0")/../.."
source test/conformance/common.sh
started=$SECONDS

python_packages clients test/conformance/clients/requirements.txt

work_folder
serve --root "$dir" --log-level error
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -n "$chromium" ]; then
  need_node
  npm_packages browser test/conformance/browser
  cp test/conformance/examples/walk.mjs .cache/browser/ # beside the modules that it imports
fi
PYTHONDONTWRITEBYTECODE=1 ATELIER_URL=$url counted .cache/clients/bin/python test/conformance/examples/check.py "$url" "$PWD" "$dir" "$chromium"
echo "test-examples: 5 examples, four ways each, in $((SECONDS - started)) s"
closing
