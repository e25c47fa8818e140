#!/usr/bin/env bash
# Runs the tests that need Postgres against a server of their own: on a free
# loopback port, in a temporary folder, stopped again at the end. With
# ATELIER_TEST_POSTGRES set already it uses that server instead.
# Usage: test/conformance/postgres.sh [arguments of go test]
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ $# -eq 0 ]; then
  set -- -race -count=1 ./internal/store/... ./internal/job/... ./internal/session/... ./internal/tools/mlx/modelserver/...
fi

if [ -n "${ATELIER_TEST_POSTGRES:-}" ]; then
  exec go run ./test/gotest "$@"
fi

# The folder of the server's programs: initdb and pg_ctl are not on the PATH of
# Debian and Ubuntu, and differ by version.
bindir() {
  if command -v pg_config >/dev/null && [ -x "$(pg_config --bindir)/initdb" ]; then
    pg_config --bindir
  else
    find /usr/lib/postgresql /opt/homebrew/opt/postgresql* /usr/local/opt/postgresql* \
      -name initdb -path '*bin/initdb' 2>/dev/null | sort -V | tail -1 | xargs -r dirname
  fi
}

bin=$(bindir)
if [ -z "$bin" ]; then
  if command -v apt-get >/dev/null; then
    echo "postgres: not installed; installing it with apt-get"
    sudo=$([ "$(id -u)" -eq 0 ] || echo sudo)
    $sudo apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends postgresql >/dev/null
    bin=$(bindir)
  fi
  if [ -z "$bin" ]; then
    echo "postgres: initdb was not found. Install PostgreSQL (apt-get install postgresql, brew install postgresql) and try again." >&2
    exit 1
  fi
fi

dir=$(mktemp -d)
as=()
if [ "$(id -u)" -eq 0 ]; then # initdb refuses root
  chown postgres: "$dir"
  as=(runuser -u postgres --)
fi

stop() {
  if [ -s "$dir/data/postmaster.pid" ]; then
    (cd / && "${as[@]}" "$bin/pg_ctl" -D "$dir/data" -m immediate -w stop >/dev/null) || true
  fi
  rm -rf "$dir"
}
trap stop EXIT

(cd / && "${as[@]}" "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C --no-sync >/dev/null)

# Another program may take the port between its choice and its use.
for attempt in 1 2 3 4 5; do
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  if (cd / && "${as[@]}" "$bin/pg_ctl" -D "$dir/data" -w -l "$dir/log" \
    -o "-p $port -c listen_addresses=127.0.0.1 -c max_connections=400 -c fsync=off -k $dir" start >/dev/null); then
    break
  fi
  if [ "$attempt" -eq 5 ]; then
    cat "$dir/log" >&2
    exit 1
  fi
done

(cd / && "${as[@]}" "$bin/createdb" -h 127.0.0.1 -p "$port" -U postgres suite)
export ATELIER_TEST_POSTGRES="postgres://postgres@127.0.0.1:$port/suite?sslmode=disable"
go run ./test/gotest "$@"
