#!/usr/bin/env bash
# 20,000 random programs, then every fuzz target for FUZZTIME (10m) each.
set -euo pipefail
cd "$(dirname "$0")"
go test ./difftest -run TestRandomPrograms -programs "${PROGRAMS:-20000}" -timeout 0 -v | grep -v '^=== '
for pkg in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$pkg" | grep '^Fuzz' || true); do
		echo "== $pkg $target"
		go test "$pkg" -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-10m}" | tail -2
	done
done
