#!/usr/bin/env bash
# Fills closed surfaces by volume_mesh_quartet and by fTetWild, and measures how the cost
# grows with the number of tetrahedra: a sphere made by script, and the surfaces of
# ATELIER_SHARED where it is set. LARGEST (1e7) is how far the growth goes.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/conformance/common.sh
work_folder

python_packages bench-stuffing test/bench/mesh/requirements.txt
surfaces=()
if [ -n "${ATELIER_SHARED:-}" ]; then
  for name in quartet_sphere joint bunny_watertight; do surfaces+=("$ATELIER_SHARED/data/meshes/$name.obj"); done
fi
.cache/bench-stuffing/bin/python test/bench/mesh/stuffing.py "${ATELIER_BIN:-$PWD/bin/atelier}" "$dir" "${surfaces[@]}"
