#!/usr/bin/env bash
# Runs every test and counts what was skipped. Installs the C compiler that
# the examples' answers need when it is missing, and the emulator under which
# a node for arm64 runs; without that one, its test is skipped.
set -uo pipefail
cd "$(dirname "$0")"

if ! command -v cc >/dev/null; then
	echo "installing a C compiler"
	apt-get update -q && apt-get install -qy gcc libc6-dev || exit 1
fi

if ! command -v qemu-aarch64-static >/dev/null; then
	echo "installing an emulator of arm64"
	{ apt-get update -q && apt-get install -qy qemu-user-static; } || echo "it cannot be installed: the test with an arm64 node is skipped"
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
go test -timeout 15m -v ./... "$@" >"$log" 2>&1
status=$?

count() { grep -cE "^ *--- $1" "$log"; }
grep -E '^(ok|FAIL|panic|\?)' "$log" | grep -v 'no test files'
grep -E 'programs agree|operations covered' "$log"
if [ "$status" -ne 0 ]; then
	echo "---- failures ----"
	awk '/^=== RUN/ { buf = "" } { buf = buf "\n" $0 } /^ *--- FAIL/ { print substr(buf, 1, 8000); buf = "" } /^panic:/ { p = 1 } p' "$log" | cut -c1-400 | head -300
fi
skipped=$(count SKIP)
if [ "$skipped" -gt 0 ]; then
	echo "---- SKIPPED: $skipped ----"
	grep -A2 -E '^ *--- SKIP' "$log"
fi
echo "$(count PASS) passed, $(count FAIL) failed, $skipped skipped"
exit $status
