#!/usr/bin/env bash
# Runs every test and counts what was skipped. Installs what the tests need when it
# is missing and Debian has it: a C compiler for the examples' answers, LLVM for
# native code, clang for packages in C, an emulator and libraries of arm64 for nodes
# of another instruction set. Without the last three their tests are skipped.
set -uo pipefail
cd "$(dirname "$0")"

updated=
install() {
	[ -n "$updated" ] || apt-get update -q || return 1
	updated=1
	apt-get install -qy --no-install-recommends "$@"
}

if ! command -v cc >/dev/null; then
	echo "installing a C compiler"
	install gcc libc6-dev || exit 1
fi
missing() { echo "$1 cannot be installed: its tests are skipped"; }
if ! command -v qemu-aarch64-static >/dev/null; then
	echo "installing an emulator of arm64"
	install qemu-user-static || missing "the emulator"
fi
if ! command -v clang-19 >/dev/null || ! command -v ld.lld-19 >/dev/null || ! command -v llvm-link-19 >/dev/null; then
	echo "installing LLVM 19"
	install libllvm19 clang-19 lld-19 llvm-19 || missing "LLVM 19"
fi
if [ "$(dpkg --print-architecture 2>/dev/null)" = amd64 ] && [ ! -e /usr/lib/aarch64-linux-gnu/libLLVM.so.19.1 ]; then
	echo "installing LLVM 19 for arm64"
	{ dpkg --add-architecture arm64 && updated= && install libc6:arm64 libllvm19:arm64; } || missing "LLVM 19 for arm64"
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
