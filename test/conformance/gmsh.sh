#!/usr/bin/env bash
# Installs Gmsh, which is optional, and meshes with it: parts on which Netgen does not
# end, the faces and bodies that both keep, peak stresses that CalculiX finds on its
# meshes, and the engine's own golden cases.
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! command -v ccx >/dev/null && command -v apt-get >/dev/null; then
  sudo=$([ "$(id -u)" -eq 0 ] || echo sudo)
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends calculix-ccx >/dev/null
fi
engines/install.sh netgen gmsh
(cd "$(mktemp -d)" && "${ATELIER_ENGINES:-$OLDPWD/.engines}/gmsh/bin/gmsh-driver" --selftest)
go run ./test/gotest -count=1 -timeout 14m -run 'Gmsh|BothMeshers' ./internal/tools/cad
