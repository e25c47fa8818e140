#!/usr/bin/env bash
# Times fea.solve and heat.solve beside dolfinx, NGSolve, CalculiX and scikit-fem on the same
# meshes: boxes of tetrahedra of order 1 and 2, with about the unknowns that their names say.
# CASES names others than all eight (elasticity-2-30k). Of ROUNDS (3) runs the quickest counts;
# who takes more than LONG (12) seconds runs once, and nobody more than LIMIT (60). RESULTS=FILE
# gets the figures as JSON. Prints figures; judges nothing.
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
"$python" test/bench/physics/meshes.py "$dir/meshes" "${cases[@]}" "${tiny[@]}" \
  arc-straight arc-curved >"$dir/meshes.log"
atelier=${ATELIER_BIN:-bin/atelier}
python3 test/bench/physics/compare.py "$atelier" "$engines" "$python" "$dir" "${cases[@]}"
serve --root "$dir/meshes" --engines "$engines"
python3 test/bench/physics/tiny.py "$url" "$atelier" "$engines" "$dir" "${tiny[@]}"
