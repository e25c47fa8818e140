#!/usr/bin/env bash
# Installs the notebook engine: a virtual environment of its own with pinned, hashed
# packages, the driver package, and the launcher bin/notebook-driver.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=engines/python/engine.sh
source "$here/../python/engine.sh"

# The lists of fonts, which matplotlib would otherwise make in each new kernel.
list_fonts() {
  MPLCONFIGDIR="$1/matplotlib-cache" "$1/bin/python" -I -c 'import matplotlib.font_manager' >/dev/null
}
install_python_engine notebook "$here" list_fonts
