#!/usr/bin/env bash
# Loads a tiny model into a real mlx_lm.server on this processor and holds the
# tools mlx.load and mlx.unload by it: over HTTP, as api/spec/tool-contracts.md has them, and as
# the MCP server mlxctl; ports taken, models missing, crashes, kill -9 of the
# model server and of atelier.
set -euo pipefail
cd "$(dirname "$0")/../.."
source test/conformance/common.sh

python_packages mlx test/conformance/mlx/requirements.txt
work_folder
python=$PWD/.cache/mlx/bin/python
mkdir -p "$dir/models"
for name in tiny other torn; do
  "$python" test/conformance/mlx/tiny_model.py "$dir/models/$name"
done
echo torn >"$dir/models/torn/model.safetensors"
if ! "$python" test/conformance/mlx/check.py "${ATELIER_BIN:-$PWD/bin/atelier}" "$PWD/.cache/mlx/bin/mlx_lm.server" "$dir"; then
  tail -n 20 "$dir"/*.log >&2
  exit 1
fi
