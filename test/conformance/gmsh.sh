#!/usr/bin/env bash
# Installs Gmsh, which is optional, and meshes with it: parts on which Netgen does not
# end, the faces and bodies that both keep, and the engine's own golden cases.
set -euo pipefail
cd "$(dirname "$0")/../.."
engines/install.sh netgen gmsh
(cd "$(mktemp -d)" && "${ATELIER_ENGINES:-$OLDPWD/.engines}/gmsh/bin/gmsh-driver" --selftest)
go run ./test/gotest -count=1 -timeout 10m -run 'Gmsh|BothMeshers' ./internal/tools/cad
