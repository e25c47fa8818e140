#!/usr/bin/env bash
# Times fea.solve and heat.solve beside dolfinx, NGSolve, CalculiX and scikit-fem on the same
# meshes: boxes of tetrahedra of order 1 and 2, whose unknowns are in their names. CASES
# names others than all; each run is the quickest of ROUNDS (3), but one that takes more than
# LONG (20) seconds is not repeated, and none takes more than LIMIT (100). RESULTS=FILE gets
# the figures as JSON. Prints figures; judges nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/conformance/common.sh
work_folder

engines/install.sh mfem calculix
debian_packages python3-dolfinx openmpi-bin
python_packages bench-physics test/bench/physics/requirements.txt
engines=$(cd "${ATELIER_ENGINES:-.engines}" && pwd)
python=$PWD/.cache/bench-physics/bin/python
read -ra cases <<<"${CASES:-$(echo {elasticity,heat}-{1,2}-{30k,285k})}"
tiny=()
for kind in "${cases[@]%-*}"; do
  if [[ " ${tiny[*]} " != *" $kind-1k "* ]]; then tiny+=("$kind-1k"); fi
done

mkdir "$dir/meshes"
"$python" test/bench/physics/meshes.py "$dir/meshes" "${cases[@]}" "${tiny[@]}" arc-straight arc-curved >"$dir/meshes.log"
PYTHONUNBUFFERED=1 python3 test/bench/physics/compare.py "${ATELIER_BIN:-bin/atelier}" "$engines" "$python" "$dir" "${cases[@]}"
serve --root "$dir/meshes" --engines "$engines"
python3 test/bench/physics/tiny.py "$url" "${ATELIER_BIN:-bin/atelier}" "$engines" "$dir" "${tiny[@]}"
