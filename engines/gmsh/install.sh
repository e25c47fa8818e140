#!/usr/bin/env bash
# Installs the Gmsh engine: a virtual environment of its own with pinned, hashed
# packages, the driver package, and the launcher bin/gmsh-driver.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=engines/python/engine.sh
source "$here/../python/engine.sh"
install_python_engine gmsh "$here"
