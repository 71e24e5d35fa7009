#!/usr/bin/env bash
# 20,000 random programs on one machine, 2,000 in a cluster, PERTURBED (5,000) on one machine and
# in clusters whose expected times are wrong, 20,000 simulated clusters, MINUTES (60) of mutants of kernels, then every fuzz target of every package
# for FUZZTIME (10m) each.
set -euo pipefail
cd "$(dirname "$0")"
go test ./difftest -run TestRandomPrograms -programs "${PROGRAMS:-20000}" -timeout 0 -v | grep -v '^=== '
go test ./internal/cluster -run TestRandomPrograms -programs "${CLUSTERED:-2000}" -timeout 0 -v | grep -v '^=== '
for pkg in ./difftest ./internal/cluster; do
	go test "$pkg" -run TestPerturbedPlans -perturbed "${PERTURBED:-5000}" -timeout 0 -v | grep -v '^=== '
done
go test ./internal/cluster/simulate -seeds "${SEEDS:-20000}" -timeout 0 -v | grep -v '^=== '
go test ./difftest/mutants -minutes "${MINUTES:-60}" -timeout 0 -v | grep -v '^=== '
# Minimising has a limit: by default it takes a minute for each input that is of interest,
# and a target that is slow gets nowhere.
for pkg in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$pkg" | grep '^Fuzz' || true); do
		echo "== $pkg $target"
		go test "$pkg" -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-10m}" -fuzzminimizetime 10s | tail -2
	done
done
