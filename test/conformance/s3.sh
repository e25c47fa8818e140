#!/usr/bin/env bash
# Runs the tests that need S3 against a server of their own: rclone, built once
# from the module proxy into .cache/bin, on a free loopback port with a key of
# its own, serving a temporary folder; stopped again at the end. With
# ATELIER_TEST_S3 set already it uses that bucket instead.
# Usage: test/conformance/s3.sh [arguments of go test]
set -euo pipefail
cd "$(dirname "$0")/../.."

rclone_version=v1.76.0

if [ $# -eq 0 ]; then
  set -- -race -count=1 ./internal/store/...
fi

if [ -n "${ATELIER_TEST_S3:-}" ]; then
  exec go run ./test/gotest "$@"
fi

# The version stands in the name: what rclone prints of itself differs by build.
rclone="$PWD/.cache/bin/rclone-$rclone_version"
if [ ! -x "$rclone" ]; then
  echo "s3: building rclone $rclone_version into .cache/bin (once; some minutes)"
  build=$(mktemp -d)
  # Outside the module: its versions must not meet ours.
  (cd "$build" && CGO_ENABLED=0 GOBIN="$build" go install -trimpath "github.com/rclone/rclone@$rclone_version")
  mkdir -p "$(dirname "$rclone")"
  mv "$build/rclone" "$rclone"
  rm -rf "$build"
fi

dir=$(mktemp -d)
pid=
stop() {
  if [ -n "$pid" ]; then
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  fi
  rm -rf "$dir"
}
trap stop EXIT

mkdir -p "$dir/served/atelier"
secret=$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')

# Another program may take the port between its choice and its use.
ready=
for _ in 1 2 3 4 5; do
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  "$rclone" serve s3 --config /dev/null --addr "127.0.0.1:$port" --auth-key "atelier,$secret" \
    --vfs-cache-mode off "$dir/served" >"$dir/log" 2>&1 &
  pid=$!
  for _ in $(seq 100); do
    if ! kill -0 "$pid" 2>/dev/null; then
      break # it could not take the port
    fi
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      ready=yes
      break
    fi
    sleep 0.1
  done
  if [ -n "$ready" ]; then
    break
  fi
  kill "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
  pid=
done
if [ -z "$ready" ]; then
  cat "$dir/log" >&2
  exit 1
fi

export AWS_ACCESS_KEY_ID=atelier AWS_SECRET_ACCESS_KEY="$secret"
export ATELIER_TEST_S3="s3://atelier?endpoint=http://127.0.0.1:$port&use_path_style=true&region=us-east-1"
if ! go run ./test/gotest "$@"; then
  tail -20 "$dir/log" >&2
  exit 1
fi
