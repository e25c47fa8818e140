#!/usr/bin/env bash
# Installs the engines: first the system packages that they name in apt.txt (or
# brew.txt on macOS), then each one's own install.sh, two at a time.
#
#   engines/install.sh              all of them but those with a file "optional"
#   engines/install.sh mfem occt    only these
#
# ATELIER_ENGINES is where they go (default: .engines in the repository). A second
# run does nothing. Exit status: 0, or 1 when an engine or a package is missing.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
ATELIER_ENGINES="${ATELIER_ENGINES:-$here/../.engines}"
mkdir -p "$ATELIER_ENGINES"
ATELIER_ENGINES="$(cd "$ATELIER_ENGINES" && pwd)"
export ATELIER_ENGINES

chosen=()
if [ $# -gt 0 ]; then
  for name in "$@"; do
    if [ ! -d "$here/$name" ]; then
      known="$(cd "$here" && printf '%s ' */)"
      echo "there is no engine called $name; there are: ${known//\//}" >&2
      exit 1
    fi
    chosen+=("$name")
  done
else
  for folder in "$here"/*/; do
    if [ ! -f "$folder/optional" ]; then chosen+=("$(basename "$folder")"); fi
  done
fi

# listed FILE prints the packages that the chosen engines name in that file.
listed() {
  local name
  for name in "${chosen[@]}"; do
    if [ -f "$here/$name/$1" ]; then sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "$here/$name/$1"; fi
  done | sort -u
}

missing_debian() {
  local wanted
  wanted="$(listed apt.txt)"
  [ -n "$wanted" ] || return 0
  # shellcheck disable=SC2086
  comm -23 <(echo "$wanted") \
    <(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $wanted 2>/dev/null | sed -n 's/ installed$//p' | sort -u)
}

install_debian() {
  local packages log as_root=()
  packages="$(missing_debian | tr '\n' ' ')"
  [ -n "${packages// /}" ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    if sudo -n true 2>/dev/null; then
      as_root=(sudo -n)
    else
      echo "Debian packages are missing, and installing them needs root. Run this, then try again:" >&2
      echo "  sudo apt-get install -y --no-install-recommends $packages" >&2
      return 1
    fi
  fi
  echo "installing Debian packages: $packages"
  log="$ATELIER_ENGINES/apt.log"
  local get=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
  # The package lists may be absent or stale: they are renewed once when it fails.
  # shellcheck disable=SC2086
  if ! "${get[@]}" install -y --no-install-recommends $packages >"$log" 2>&1; then
    "${get[@]}" update >>"$log" 2>&1 || true
    if ! "${get[@]}" install -y --no-install-recommends $packages >>"$log" 2>&1; then
      tail -n 20 "$log" >&2
      echo "the Debian packages could not be installed: $packages" >&2
      return 1
    fi
  fi
}

install_brew() {
  local package absent=()
  if ! command -v brew >/dev/null; then
    echo "Homebrew is missing; it brings: $(listed brew.txt | tr '\n' ' ')" >&2
    return 1
  fi
  while read -r package; do
    if [ -n "$package" ] && ! brew list --versions "$package" >/dev/null 2>&1; then absent+=("$package"); fi
  done < <(listed brew.txt)
  if [ ${#absent[@]} -gt 0 ]; then brew install --quiet "${absent[@]}"; fi
}

status=0
case "$(uname -s)" in
  Linux)
    if command -v dpkg-query >/dev/null; then
      install_debian || status=1
    else
      echo "this is not Debian; the engines need what these packages bring: $(listed apt.txt | tr '\n' ' ')" >&2
    fi
    ;;
  Darwin) install_brew || status=1 ;;
esac

# build NAME runs one engine's script; its log is shown only when it fails.
build() {
  local name="$1" log
  log="$ATELIER_ENGINES/$name-install.log"
  if "$here/$name/install.sh" >"$log" 2>&1; then
    tail -n 1 "$log"
  else
    { echo "$name could not be installed; the end of $log:"; tail -n 25 "$log" | sed 's/^/  /'; } >&2
    return 1
  fi
}

running=()
finish_first() {
  wait "${running[0]}" || status=1
  running=("${running[@]:1}")
}
for name in "${chosen[@]}"; do
  if [ ! -x "$here/$name/install.sh" ]; then continue; fi
  if [ ${#running[@]} -ge 2 ]; then finish_first; fi
  build "$name" &
  running+=($!)
done
while [ ${#running[@]} -gt 0 ]; do finish_first; done
exit "$status"
