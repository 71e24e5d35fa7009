#!/usr/bin/env bash
# 20,000 random programs on one machine, 2,000 in a cluster, 20,000 simulated
# clusters, then every fuzz target of every package for FUZZTIME (10m) each.
set -euo pipefail
cd "$(dirname "$0")"
go test ./difftest -run TestRandomPrograms -programs "${PROGRAMS:-20000}" -timeout 0 -v | grep -v '^=== '
go test ./cluster -run TestRandomPrograms -programs "${CLUSTERED:-2000}" -timeout 0 -v | grep -v '^=== '
go test ./simulate -seeds "${SEEDS:-20000}" -timeout 0 -v | grep -v '^=== '
for pkg in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$pkg" | grep '^Fuzz' || true); do
		echo "== $pkg $target"
		go test "$pkg" -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-10m}" | tail -2
	done
done
