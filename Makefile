# Two commands are enough for a newcomer: `make demo` and `make test`.
# Both install what is missing (into .engines and .cache; Debian packages as
# root or by sudo, else they print the one command to run) and build.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
export ATELIER_ENGINES ?= $(CURDIR)/.engines
export GOFLAGS ?= -p=2
# Random tests of a commit draw the same numbers everywhere; empty, they draw anew.
export ATELIER_SEED ?= $(shell printf %d 0x$$(git rev-parse 'HEAD^{tree}' 2>/dev/null | cut -c1-7) 2>/dev/null)
CACHE := $(CURDIR)/.cache
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

VERIFY_DRAWS ?= 10

.PHONY: verify test-verify bench-web test-web demo test build engines serve lint bench bench-stats bench-mesh bench-accuracy bench-stuffing bench-physics check-tools test-step test-long test-postgres test-s3 test-gmsh test-openai test-agent test-mcp test-openapi test-harmony test-notebook test-search test-mlx test-stat test-clients test-examples contracts-baseline workbench test-browser generate clean

demo: engines build ## from a STEP file to a stress picture, and a filter, through a real server
	go run ./examples/demo -atelier bin/atelier -out demo-out

test: engines build ## every test of the project, with the race detector where there are goroutines
	ATELIER_BIN=$(CURDIR)/bin/atelier go run ./test/gotest -race=concurrent -first=cmd/atelier,internal/tools/cad,internal/tools/solve '-racepart=internal/stat=Processors|CancelledFit,internal/tools/statistics=Report' -vet=off -timeout=40m ./...

build: check-tools ## bin/atelier
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/atelier ./cmd/atelier
	mkdir -p "$(ATELIER_ENGINES)" # which the program is told of, filled or not

engines: check-tools ## the native engines, pinned, into .engines
	engines/install.sh

serve: build ## http://127.0.0.1:8080
	bin/atelier serve

check-tools:
	@missing=""
	for tool in go c++ cmake cargo python3; do command -v $$tool >/dev/null || missing="$$missing $$tool"; done
	if [ -n "$$missing" ]; then echo "missing:$$missing - install Go 1.26, a C++17 compiler, CMake, Rust and Python 3.11 first" >&2; exit 1; fi

lint: ## gofmt, vet, staticcheck, clang-format, clippy, ruff, shellcheck, prettier, tsc
	test/conformance/lint.sh

bench: engines build ## requests per second, and the overhead over bare engines
	test/conformance/bench.sh

bench-stats: build ## regression of two million rows beside pandas and statsmodels: time, memory, growth
	test/conformance/bench-stats.sh

bench-mesh: engines build ## CAD parts beside Netgen and Gmsh alone: elements, time, memory, angles, distance
	test/conformance/bench-mesh.sh

bench-accuracy: engines build ## peak stress of parts to 1 % beside uniform refinement: unknowns, time
	test/conformance/bench-accuracy.sh

bench-physics: engines build ## fea.solve and heat.solve beside dolfinx, NGSolve, CalculiX and scikit-fem: time, memory
	test/conformance/bench-physics.sh

bench-stuffing: build ## closed surfaces beside fTetWild: time, angles, memory for each tetrahedron, growth
	test/conformance/bench-stuffing.sh

verify: engines ## error bars against true errors, on problems with known answers: docs/verification.md
	mkdir -p .cache
	go build -o .cache/verify ./test/verify
	.cache/verify -seed 1 -draws $(VERIFY_DRAWS) -out docs/verification.md

test-verify: engines ## the same on two draws of each: most error bars and verdicts must hold
	go run ./test/verify -seed $(or $(ATELIER_SEED),1) -draws 2 -check

test-step: engines build ## every real STEP file through import, repair and meshing
	ATELIER_LONG=1 ATELIER_BIN=$(CURDIR)/bin/atelier go run ./test/gotest -count=1 -timeout 60m -run StepFiles ./cmd/atelier

test-long: engines build ## all sweeps over large real models
	ATELIER_LONG=1 ATELIER_BIN=$(CURDIR)/bin/atelier go run ./test/gotest -timeout 60m ./...

test-postgres: ## jobs and store on a real Postgres with River
	test/conformance/postgres.sh

test-mcp: build ## the MCP protocol by the conformance suite and the Inspector
	test/conformance/mcp.sh

test-openapi: engines build ## the OpenAPI document by Redocly, and the server by it: schemathesis
	test/conformance/openapi.sh

test-openai: engines build ## the OpenAI-style routes under the official clients and two agent frameworks
	test/conformance/openai.sh

test-agent: engines build ## the agent's loop with a third-party model server: ten turns, a hundred sessions at once
	test/conformance/agent.sh

test-web: build ## web.fetch under a hundred hostile pages
	test/conformance/web.sh

bench-web: build ## web.fetch beside Python trafilatura on pages that people marked
	test/conformance/bench-web.sh

test-s3: ## artifacts on a real S3 endpoint
	test/conformance/s3.sh

test-gmsh: ## parts meshed by Gmsh, which it installs
	test/conformance/gmsh.sh

test-harmony: build ## Harmony against openai-harmony itself
	test/conformance/harmony.sh

test-stat: build ## statistics under mpmath, statsmodels and SciPy
	test/conformance/stat.sh

test-mlx: build ## models loaded into a real mlx_lm.server, with every way in which that fails
	test/conformance/mlx.sh

test-search: build ## search.web through a real LiteLLM proxy, and with everything that breaks on the way
	test/conformance/search.sh

test-notebook: build ## notebooks under nbformat, nbclient and CPython's own parser
	test/conformance/notebook.sh

test-clients: engines build ## every block of docs/clients.md: SDKs, agent frameworks, configurations
	test/conformance/clients.sh

test-examples: engines build ## every example, four ways in, its figures held against hand calculations
	test/conformance/examples.sh

contracts-baseline: build ## the contracts that changes are judged against while there is no release tag
	bin/atelier contracts export api/baseline

workbench: ## the web page, from workbench/src into workbench/dist (needs Node)
	test/conformance/workbench.sh

test-browser: engines build ## the workbench in a real Chromium
	test/conformance/browser.sh

generate: ## all that is made: error constants, golden files, overrides of the OpenAPI suite, docs/tools
	go run -trimpath ./internal/codegen
	go test ./cmd/atelier -run 'OpenAPIOverrides|Golden' -count=1 -update-golden
	go run -trimpath ./cmd/atelier docs --out docs/tools

clean:
	rm -rf bin demo-out
