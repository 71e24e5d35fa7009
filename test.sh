#!/usr/bin/env bash
# Runs every test and counts what was skipped. Installs what the tests need when it
# is missing and Debian has it: a C compiler for the examples' answers, LLVM for
# native code, clang for packages in C, UCX for fabrics, an emulator and libraries of arm64
# for nodes of another instruction set. Without the last four their tests are skipped.
set -uo pipefail
cd "$(dirname "$0")"

# Nodes keep a GiB of their disk free, and tests of large files need some more: said here, and not by hundreds of tests.
room=$((3 << 20)) # KiB
free=$(df -Pk "${TMPDIR:-/tmp}" | awk 'NR == 2 { print $4 }')
if [ "${free:-$room}" -lt "$room" ]; then
	echo "the tests need $((room >> 20)) GiB of free disk in ${TMPDIR:-/tmp}, which has $((free >> 10)) MiB: make space, or set TMPDIR to a folder of another disk"
	exit 1
fi

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

if ! ldconfig -p 2>/dev/null | grep 'libucp\.so\.0' >/dev/null; then # grep -q would end ldconfig by a signal, and the pipe with it
	echo "installing UCX"
	install libucx0 || missing "UCX"
fi
if [ "$(dpkg --print-architecture 2>/dev/null)" = amd64 ] && [ ! -e /usr/lib/aarch64-linux-gnu/libucp.so.0 ]; then
	echo "installing UCX for arm64"
	{ dpkg --add-architecture arm64 && updated= && install libc6:arm64 libucx0:arm64; } || missing "UCX for arm64"
fi

log=$(mktemp)
# The tests see a machine that nobody has calibrated, wherever they run, and the go command keeps its own cache.
GOCACHE=$(go env GOCACHE)
XDG_CACHE_HOME=$(mktemp -d)
export GOCACHE XDG_CACHE_HOME
trap 'rm -rf "$log" "$XDG_CACHE_HOME"' EXIT
go test -vet=off -timeout 15m -p $(($(nproc) + 1)) -v ./... "$@" >"$log" 2>&1
status=$?

count() { grep -cE "^ *--- $1" "$log"; }

# show prints what every test with a result wrote, FAIL or SKIP: its own lines, which follow a
# line with its name (RUN, CONT or NAME), and those below its result. Tests that were running
# when their package ended have failed too. Of a package that failed without a failing test it
# prints the last lines: what was found after the tests, or why there were none.
show() {
	awk -v result="$1:" '
	function chosen(name) { if (!(name in seen)) { seen[name] = 1; list[++n] = name } }
	function say(s) { if (length(s) > 6000) s = substr(s, 1, 2000) "[...]\n" substr(s, length(s) - 4000); printf "%s", s }
	function say_last(  i) { for (i = lines > 40 ? lines - 39 : 1; i <= lines; i++) print last[i] }
	/^(PASS|FAIL)$/ { next }
	name == "" && /^# / { name = "build" }
	/^=== [A-Z]+ / { name = $3; if ($2 == "RUN") running[name] = 1; next }
	/^(ok  |\?   |FAIL)\t/ {
		if ($1 == "FAIL" && result == "FAIL:") for (t in running) chosen(t)
		for (i = 1; i <= n; i++) say(said[list[i]])
		if ($1 == "FAIL" && result == "FAIL:") {
			if (!n) say_last()
			print
		}
		n = lines = 0; name = ""; split("", said); split("", seen); split("", running)
		next
	}
	/^ *--- (PASS|FAIL|SKIP): / { name = $3; delete running[name]; if ($2 == result) chosen(name) }
	/^(panic:|fatal error:|SIG[A-Z]+:|WARNING: DATA RACE)/ { name = "a crash"; if (result == "FAIL:") chosen(name) }
	name == "build" { if (result == "FAIL:") print; next }
	{ said[name] = said[name] $0 "\n"; last[++lines] = $0 }
	END { if (result == "FAIL:") say_last() }
	' "$log" | cut -c1-400 | head -400
}

if [ "$status" -ne 0 ]; then
	echo "---- failures ----"
	show FAIL
	echo "---- in short ----"
	grep -E '^ *--- FAIL' "$log"
fi
grep -E '^(ok|FAIL|\?)' "$log" | grep -v 'no test files'
grep -E 'programs agree|operations covered|[0-9] mutants, |kinds of findings' "$log"
skipped=$(count SKIP)
if [ "$skipped" -gt 0 ]; then
	echo "---- SKIPPED: $skipped ----"
	show SKIP
fi
echo "$(count PASS) passed, $(count FAIL) failed, $skipped skipped"
exit $status
