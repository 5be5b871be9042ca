# `make` alone prints the list of targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo demo-down cluster-up cluster-down install run test test-all test-build test-node soak soak-node test-image record bench growth profile lint check generate image release audit fmt

# Every build is of the whole workspace: the build of a single package selects other features of the
# dependencies and would compile them again.
localcluster := cargo run -q --bin localcluster --

help: ## Print this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | \
	  awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

demo: ## Cluster, operator, one workload until it is Ready, its tree (NODE=real: its pods run)
	@hack/demo.sh up

demo-down: ## Remove everything that `make demo` created
	@hack/demo.sh down

cluster-up: ## Local Kubernetes (NODES=20; NODE=real: two real nodes); prints KUBECONFIG=<path>
	@$(localcluster) up

cluster-down: ## Stop and remove the local Kubernetes
	@$(localcluster) down

install: ## Install the CustomResourceDefinitions
	@hack/install.sh

run: ## Run the operator in the foreground
	@hack/run.sh

# The compilation for the tests also gives the lints and all programs: `cargo run` would compile the
# programs and their dependencies again, without the features that only tests select.
test test-all: export RUSTC_WORKSPACE_WRAPPER := $(CURDIR)/hack/rustc-with-lints.sh
test: test-build ## Everything that CI runs, except tests on real nodes
	@hack/test.sh
	@target/debug/rights

test-all: test-build ## What CI runs: test and test-node, the simulator beside both
	@hack/test.sh node
	@target/debug/rights

test-build:
	cargo fmt --all --check
	cargo test --workspace --no-run
	target/debug/xtask generate --check
	@target/debug/localcluster tool > /dev/null
	@target/debug/localcluster promtool > /dev/null
	@target/debug/localcluster actionlint > /dev/null

test-node: export RUSTC_WORKSPACE_WRAPPER := $(CURDIR)/hack/rustc-with-lints.sh
test-node: ## The product on two real nodes: root, containerd; 8 minutes
	cargo test --workspace --no-run
	cargo test --workspace --test node

soak-node: export RUSTC_WORKSPACE_WRAPPER := $(CURDIR)/hack/rustc-with-lints.sh
soak-node: ## The same with all rows, including long ones
	cargo test --workspace --no-run
	NODE_ROWS=all cargo test --workspace --test node

test-image: ## The shipped images on two real nodes: usage and rights of their pods; root
	@hack/test-image.sh

record: ## Record a pod's statuses until it is gone (NAMESPACE, SELECTOR, ABOUT, FILE)
	cargo run -q --bin record -- $(NAMESPACE) $(SELECTOR) --about "$(ABOUT)" > $(FILE)

soak: ## 10,000 seeds of the simulator and all runs of the whole ring (hours), odd sets, 200 gangs of capacity
	SIM_SEEDS=10000 cargo test --workspace --test simulator seeds::seeds
	SIM_SEEDS=1000 cargo test --workspace --test simulator seeds::what_is
	WHOLE=all cargo test --workspace --test whole
	FUZZ_SECONDS=60 cargo test --workspace --test it fuzz::
	CAPACITY_CLUSTERS=200 cargo test --workspace --test it cli::capacity

# Building the whole workspace selects the features of the dependencies once.
bench: ## Speed and cost (BENCH_PODS=100 for a smoke; BENCH_BASE=REV; BENCH_WRITE=1)
	cargo build --release --workspace --bin grove-operator --bin kubectl-grove --bin bench
	target/release/bench $(if $(BENCH_WRITE),--write docs/performance.md)

growth: ## How cost grows with pods, in the simulator (GROWTH_PODS=10000)
	cargo bench -q --workspace --bench growth

profile: ## Flame graph of the operator in a row of the benchmark (BENCH_ONLY)
	@hack/profile.sh

check: lint ## All tests without a cluster (4 minutes on 2 cores from warm)
	cargo test --workspace --exclude e2e --exclude localcluster --exclude node-tests

lint: ## Formatting, lints, generated files
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo xtask generate --check

generate: ## Write CRDs, the chart's copies and README, config/install.yaml
	cargo xtask generate
	hack/install-manifest.sh "$$($(localcluster) tool)/helm" > config/install.yaml

image: ## Build both images (REGISTRY=.. [PLATFORMS=linux/amd64,linux/arm64] [PUSH=1] [RUST_IMAGE=..])
	@hack/image.sh

release: ## The files of a release, in target/dist (REGISTRY=..)
	@hack/release.sh

audit: ## Licences, sources, bans and advisories of all dependencies
	@hack/audit.sh

fmt: ## Format
	cargo fmt --all
