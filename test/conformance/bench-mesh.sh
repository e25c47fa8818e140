#!/usr/bin/env bash
# Meshes parts by volume_mesh_cad and by Netgen and Gmsh alone with their defaults, and
# judges all meshes by the same program: parts made by script, NIST's of the corpus, and
# those of ATELIER_SHARED where it is set. PARTS narrows it to files that match; LIMIT
# (300) is how many seconds one mesh may take. Prints figures; judges nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/conformance/common.sh
work_folder

engines/install.sh netgen gmsh
engines=$(cd "${ATELIER_ENGINES:-.engines}" && pwd)
mkdir "$dir/parts" "$dir/work"
"$engines/netgen/bin/python" test/bench/mesh/parts.py "$dir/parts"
"$engines/gmsh/bin/python" test/bench/mesh/to_iges.py "$dir/parts/brep_bracket.brep" "$dir/parts/iges_bracket.igs"
shopt -s nullglob
shared=()
if [ -n "${ATELIER_SHARED:-}" ]; then
  shared=("$ATELIER_SHARED"/data/step/*.st*p)
else
  shared=(test/corpus/step/*.stp)
fi
matching "$dir"/parts/* "${shared[@]}"
python3 test/bench/mesh/compare.py "${ATELIER_BIN:-$PWD/bin/atelier}" "$engines" "$dir/work" "${parts[@]}"
