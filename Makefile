# make demo   the main programs on real data, on one machine and on four nodes
# make test   everything the project tests
# make fuzz   random programs, simulated clusters, and ten minutes on each fuzz target
# make bench  against peers (C by gcc and clang-19, NumPy, DuckDB); DuckDB needs cgo

GO ?= go

.PHONY: build demo test lint fuzz bench clean

build: bin/godwit

bin/godwit: $(shell find . -name '*.go' -not -path './bench/*') go.mod
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

bench: bin/godwit
	cd bench && $(GO) run . $(ARGS)

clean:
	rm -rf bin
