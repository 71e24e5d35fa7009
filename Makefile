# make demo   the main programs on real data, on one machine and on four nodes
# make test   everything the project tests
# make fuzz   random programs, simulated clusters, an hour of mutants of kernels, and ten minutes on
#             each fuzz target
# make chaos  ten minutes of faults on a cluster of real processes; ARGS="-seed 1 -duration 30m"
# make bench  against peers (C by gcc and clang-19, NumPy, Polars, DuckDB); DuckDB needs cgo

GO ?= go

.PHONY: build demo test lint fuzz chaos bench clean

build: bin/godwit

# Files that the program has in it count, too.
bin/godwit: $(shell find cmd internal *.go -name '*.go' -o -path 'internal/*' \( -name '*.toml' -o -name '*.txt' -o -name '*.h' -o -name '*.c' \)) go.mod
	CGO_ENABLED=0 $(GO) build -trimpath -o $@ ./cmd/godwit

demo: bin/godwit
	@./demo.sh

test: lint
	./test.sh

lint:
	@test -z "$$(gofmt -l . | tee /dev/stderr)"
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

fuzz:
	./fuzz.sh

chaos: bin/godwit
	GODWIT=$(CURDIR)/bin/godwit $(GO) test ./chaos -run TestChaos -timeout 0 -v -args -duration 10m $(ARGS)

bench: bin/godwit
	cd bench && $(GO) run . $(ARGS)

clean:
	rm -rf bin
