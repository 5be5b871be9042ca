# `make` alone prints what there is.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo demo-down cluster-up cluster-down install run test test-node soak soak-node test-image record bench growth profile lint check generate image release audit fmt

# All builds are of the whole workspace: one of a single package has other features of the
# dependencies and would compile them again.
localcluster := cargo run -q --bin localcluster --

help: ## Print this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | \
	  awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

demo: ## Cluster, operator and one workload until it is Ready (NODE=real: its pods run)
	@hack/demo.sh up

demo-down: ## Remove all that `make demo` made
	@hack/demo.sh down

cluster-up: ## Local Kubernetes (NODES=20; NODE=real: two real nodes); prints KUBECONFIG=<path>
	@$(localcluster) up

cluster-down: ## Stop and remove the local Kubernetes
	@$(localcluster) down

install: ## Install the CustomResourceDefinitions
	@hack/install.sh

run: ## Run the operator in the foreground
	@hack/run.sh

# Lints come out of the compilation that the tests need anyway, and so do all programs: `cargo run`
# would compile them and what they depend on again, without the features that only tests ask for.
test: export RUSTC_WORKSPACE_WRAPPER := $(CURDIR)/hack/rustc-with-lints.sh
test: ## Everything that CI runs, but what needs real nodes
	cargo fmt --all --check
	cargo test --workspace --no-run
	target/debug/xtask generate --check
	@target/debug/localcluster tool > /dev/null
	@target/debug/localcluster promtool > /dev/null
	@hack/test.sh
	@target/debug/rights

test-node: export RUSTC_WORKSPACE_WRAPPER := $(CURDIR)/hack/rustc-with-lints.sh
test-node: ## The product on two real nodes: root, containerd; 8 minutes
	cargo test --workspace --no-run
	cargo test --workspace --test node

soak-node: export RUSTC_WORKSPACE_WRAPPER := $(CURDIR)/hack/rustc-with-lints.sh
soak-node: ## The same with all rows, also those that take long
	cargo test --workspace --no-run
	NODE_ROWS=all cargo test --workspace --test node

test-image: ## The images as shipped, on two real nodes: what their pods take, and may do; root
	@hack/test-image.sh

record: ## What a kubelet writes of a pod, until it is gone (NAMESPACE, SELECTOR, ABOUT, FILE)
	cargo run -q --bin record -- $(NAMESPACE) $(SELECTOR) --about "$(ABOUT)" > $(FILE)

soak: ## 10,000 seeds of the simulator (10 to 20 minutes), a minute of odd sets, 200 gangs of capacity
	SIM_SEEDS=10000 cargo test --workspace --test simulator seeds::seeds
	FUZZ_SECONDS=60 cargo test --workspace --test it fuzz::
	CAPACITY_CLUSTERS=200 cargo test --workspace --test it cli::capacity

# Features of the dependencies are settled once, by building the whole workspace.
bench: ## Speed and cost (BENCH_PODS=100 for a smoke; BENCH_BASE=REV; BENCH_WRITE=1)
	cargo build --release --workspace --bin grove-operator --bin kubectl-grove --bin bench
	target/release/bench $(if $(BENCH_WRITE),--write docs/performance.md)

growth: ## How cost grows with pods, in the simulator (GROWTH_PODS=10000)
	cargo bench -q --workspace --bench growth

profile: ## Flame graph of the operator in a row of the benchmark (BENCH_ONLY)
	@hack/profile.sh

check: lint ## All that needs no cluster (4 minutes on 2 cores from warm)
	cargo test --workspace --exclude e2e --exclude localcluster --exclude node-tests

lint: ## Formatting, lints, generated files
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo xtask generate --check

generate: ## Write CRDs, the chart's copies and README, config/install.yaml
	cargo xtask generate
	hack/install-manifest.sh "$$($(localcluster) tool)/helm" > config/install.yaml

image: ## Build both images (REGISTRY=.. [PLATFORMS=linux/amd64,linux/arm64] [PUSH=1])
	@hack/image.sh

release: ## What a release consists of, in target/dist (REGISTRY=..)
	@hack/release.sh "$$($(localcluster) tool)/helm"

audit: ## Licences, sources, bans and advisories of all dependencies
	@hack/audit.sh

fmt: ## Format
	cargo fmt --all
