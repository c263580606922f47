# SPDX-License-Identifier: Apache-2.0

SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# verify is a sequence: its steps write what the next ones read.
.NOTPARALLEL:

GO ?= go
# Patterns for `go test -run` and `-bench`.
RUN ?=
BENCH ?= .
COUNT ?= 1
FUZZTIME ?= 20s
# The name of the container image, for builds, manifests and runs.
IMAGE ?= windtunnel:dev
IMAGE_ARCH ?= $(shell $(GO) env GOARCH)
# The cluster of cluster-up, load-image, cluster-down and e2e: local, or existing, which
# uses the cluster that KUBECONFIG names.
CLUSTER ?= local
export CLUSTER
# The version of the binary and the chart.
VERSION ?= $(shell git describe --tags --always --dirty --abbrev=12 2>/dev/null || echo dev)

# The path of the packaged chart.
CHART ?= dist/windtunnel-chart.tgz

# `go tool` builds a pinned tool once and keeps it in Go's cache.
CONTROLLER_GEN := $(GO) tool -modfile=hack/tools/go.mod controller-gen
KUSTOMIZE := $(GO) tool -modfile=hack/tools/go.mod kustomize
BENCHSTAT := $(GO) tool -modfile=hack/tools/go.mod benchstat
# golangci-lint with the Kubernetes API linter as a plugin.
GOLANGCI_LINT := $(GO) tool -modfile=hack/tools/lint/go.mod golangci-lint-kube-api-linter

# What config/default installs, with IMAGE for the manager and the workers.
RENDER := $(KUSTOMIZE) build config/default | sed 's|windtunnel:dev|$(IMAGE)|'

# A static binary without debug symbols: two thirds of the size, the same stack traces.
# The bytes of the binary depend only on the commit and on Go's version, not on the machine.
GO_BUILD := CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags='-s -w -X windtunnel.dev/windtunnel/cmd/windtunnel/cli.release=$(VERSION)'

##@ Everyday

.PHONY: help
help: ## Show this list
	@awk 'BEGIN { FS = ":.*## " } \
		/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z0-9-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: command
command: ## Build bin/windtunnel alone
	$(GO_BUILD) -o bin/ ./cmd/windtunnel

.PHONY: build
build: ## Build bin/windtunnel, and bin/windtunnel-manager and bin/windtunnel-live beside it
	$(GO_BUILD) -o bin/ ./cmd/windtunnel ./cmd/windtunnel-manager ./cmd/windtunnel-live

.PHONY: test
test: ## Run all tests that need no node, and list the skipped ones; the first time it builds an API server (RUN=pattern)
	hack/clang.sh
	{ assets=$$(hack/kube-assets.sh) && \
	  KUBEBUILDER_ASSETS=$$assets $(GO) test -json -timeout 30m -run '$(RUN)' ./... && \
	  $(GO) test -C studies -json -run '$(RUN)' ./... && \
	  $(GO) test -C hack/image -json -run '$(RUN)' ./... && \
	  $(GO) test -C hack/site -json -run '$(RUN)' ./... && \
	  $(GO) test -C hack/krew -json -run '$(RUN)' ./... && \
	  $(GO) test -C test/promql -json -run '$(RUN)' ./... && \
	  $(GO) test -C test/openai -json -run '$(RUN)' ./... && \
	  assets=$$(hack/kube-assets.sh etcd kube-apiserver kubectl) && \
	  KUBEBUILDER_ASSETS=$$assets $(GO) test -C test/install -json -run '$(RUN)' ./...; \
	} | $(GO) run ./hack/testreport

.PHONY: test-fast
test-fast: ## Run the tests of the fast packages, without an API server and long simulations
	$(GO) test -short $$($(GO) list ./... | grep -v -e /test/ -e /controllers$$ -e /pkg/calibrate$$ -e /pkg/search$$ -e /pkg/simulator/simulation$$)

# In reverse order, pkg/result comes before pkg/report, whose golden files are made of its own.
.PHONY: update
update: ## Rewrite all golden files, and the generated pages that take seconds; review the changes
	grep -rl --include='*_test.go' -e 'flag.Bool("update"' -e 'cmdtest.Golden' -e 'cmdtest.Update' api cmd config controllers internal pkg | grep -v pkg/calibrate/ | xargs -n1 dirname | sort -ru | \
		sed 's|^|./|' | xargs -I{} $(GO) test {} -count 1 -update

.PHONY: autoscalers
autoscalers: ## Ask the real HorizontalPodAutoscaler, KEDA, Prometheus and, with WVA_CHECKOUT=PATH, WVA_TOKENS_CHECKOUT=PATH, AIBRIX_CHECKOUT=PATH, DYNAMO_CHECKOUT=PATH with FILTERPY_CHECKOUT=PATH, and ROUTER_CHECKOUT=PATH, llm-d's workload-variant-autoscaler, AIBrix, Dynamo's planner and the KV index of llm-d's router again, and rewrite their answers; the first build takes minutes
	$(GO) test -C test/hpa -count 1 -run '^TestTheGoldenSet$$' -update
	$(GO) test -C test/keda -count 1 -run '^TestTheGoldenSet$$' -update
	$(GO) test -C test/promql -count 1 -run '^TestTheGoldenSet$$' -update
	$(GO) test ./test/wva -v -count 1 -run '^TestTheGoldenSet' -update
	$(GO) test ./test/aibrix ./test/planner ./pkg/live/kvevents -v -count 1 -run '^TestTheGoldenSet$$' -update

.PHONY: pictures
pictures: ## Redraw the pictures of the README from its sweep
	$(GO) test ./cmd/windtunnel -count 1 -run '^TestReadmePictures$$' -update

.PHONY: assets
assets: ## Build the chart library of pages, with npm; review the digest in pkg/report/page
	npm ci --ignore-scripts --prefix hack/assets
	npm run build --prefix hack/assets
	hack/assets/licences.sh >pkg/report/page/assets/LICENSES.txt

.PHONY: site
site: ## Write the documentation as a site of static pages into dist/site
	$(GO) run -C hack/site .

.PHONY: test-browser
test-browser: ## Test the pages in Chromium; root on Debian installs what is missing
	hack/browser.sh
	$(GO) test -C test/browser -count 1 -run '$(RUN)' ./...

.PHONY: screenshots
screenshots: ## Take the pictures of pages in docs/ again, in Chromium
	hack/browser.sh
	$(GO) test -C test/browser -count 1 -run '^TestPicturesOfTheDocumentation$$' -update .

.PHONY: demo
demo: command ## Simulate a sweep of routing policies on this machine, without a cluster
	mkdir -p dist
	bin/windtunnel trace generate --requests 2000 --seed 1 -o dist/demo-trace.jsonl
	bin/windtunnel sweep -f config/samples/demo/sweep.yaml

.PHONY: run
run: build ## Run the manager against the current kubeconfig (IMAGE=name:tag of the worker pods)
	WINDTUNNEL_IMAGE=$(IMAGE) bin/windtunnel manager

##@ Before a commit

.PHONY: verify
verify: generate manifests fmt vet lint check-docs ## Generate, format, vet and lint, check the documentation, then fail if the tree has changed
	hack/verify-tree.sh

.PHONY: generate
generate: ## Generate the deep copies of the API types
	$(CONTROLLER_GEN) object:headerFile=hack/boilerplate.go.txt paths=./api/...

.PHONY: manifests
manifests: ## Generate the CRDs, their JSON schemas and the manager's ClusterRole
	$(CONTROLLER_GEN) crd paths=./api/... output:crd:dir=config/crd/bases
	$(GO) run ./hack/schemas
	$(CONTROLLER_GEN) rbac:roleName=windtunnel-manager paths=./controllers/... output:rbac:dir=config/rbac

.PHONY: fmt
fmt: ## Format all Go files
	gofmt -s -w .

.PHONY: vet
vet: ## Run go vet
	$(GO) vet ./...
	$(GO) vet -C studies ./...
	$(GO) vet -C hack/image ./...
	$(GO) vet -C hack/site ./...
	$(GO) vet -C hack/krew ./...
	$(GO) vet -C test/install ./...
	$(GO) vet -C hack/kube/policies ./...

.PHONY: lint
lint: ## Run golangci-lint
	$(GOLANGCI_LINT) run
	cd studies && $(GO) tool -modfile=../hack/tools/lint/go.mod golangci-lint-kube-api-linter run

.PHONY: check-docs
check-docs: ## Check the links and tables of the documentation
	$(GO) test -C hack/site -count 1 -run '^TestTheDocumentation' .

##@ Measure

.PHONY: bench
bench: ## Run the benchmarks, then measure the reference workloads (BENCH=pattern COUNT=10)
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) ./pkg/... ./internal/reference
	$(GO) run -C studies ./bench

.PHONY: verify-bench
verify-bench: ## Count the instructions of four programs with valgrind; fail if one needs over 3 % more than recorded (hack/instructions.sh -update)
	hack/instructions.sh

.PHONY: benchstat
benchstat: ## Compare two outputs of make bench (OLD=file NEW=file)
	$(BENCHSTAT) '$(OLD)' '$(NEW)'

.PHONY: validation
validation: ## Fit the roofline to the open measured runs and write docs/validation.md and the pages that it quotes; takes some minutes
	$(GO) test ./pkg/latency -count 1 -run StepTimesPage -update
	$(GO) run -C studies ./capacity
	$(GO) test ./pkg/calibrate -count 1 -timeout 30m -run '^TestValidationDocument$$' -refit -update

.PHONY: fuzz
fuzz: ## Run every fuzz target for a short time (FUZZTIME=20s)
	hack/fuzz.sh $(FUZZTIME)

##@ A cluster to test on

.PHONY: cluster-up
cluster-up: bin/cluster ## Start a Kubernetes cluster of one node on this machine, as root (CLUSTER=existing: use that of KUBECONFIG)
	bin/cluster up

.PHONY: load-image
load-image: image bin/cluster ## Build the image and load it into the cluster's node
	bin/cluster load-image dist/windtunnel-image.tar

.PHONY: cluster-status
cluster-status: bin/cluster ## Print which parts of that cluster run and serve
	bin/cluster status

.PHONY: cluster-down
cluster-down: bin/cluster ## Stop that cluster and remove all its files
	bin/cluster down

.PHONY: e2e
e2e: ## Test the operator on such a cluster, installation included (RUN=pattern KUEUE=1 KEDA=1 KEEP=1 CLUSTER=existing UNFIT=skip)
	hack/e2e.sh -run '$(RUN)'

.PHONY: test-rollouts
test-rollouts: ## Test gates in Argo Rollouts and Flagger on such a cluster; their first build takes minutes (RUN=pattern KEEP=1)
	SUITE=rollouts hack/e2e.sh -run '$(RUN)'

.PHONY: bin/cluster
bin/cluster:
	$(GO) build -trimpath -o bin/cluster ./hack/cluster

##@ Cluster

.PHONY: install
install: ## Install the CRDs into the current cluster
	$(KUSTOMIZE) build config/crd | kubectl apply --server-side -f -

.PHONY: uninstall
uninstall: ## Remove the CRDs and every object of their kinds
	$(KUSTOMIZE) build config/crd | kubectl delete --ignore-not-found -f -

.PHONY: deploy
deploy: ## Install the CRDs and the manager into the current cluster (IMAGE=name:tag)
	$(RENDER) | kubectl apply --server-side -f -

.PHONY: undeploy
undeploy: ## Remove the manager, the CRDs and every object of their kinds
	$(KUSTOMIZE) build config/default | kubectl delete --ignore-not-found -f -

.PHONY: image
image: ## Build dist/windtunnel-image.tar, which ctr, docker and kind can load (IMAGE=name:tag IMAGE_ARCH=arm64)
	GOOS=linux GOARCH=$(IMAGE_ARCH) $(GO_BUILD) -o dist/ ./cmd/windtunnel ./cmd/windtunnel-manager ./cmd/windtunnel-live
	$(GO) run -C hack/image . $(patsubst %,-binary $(CURDIR)/dist/%,windtunnel windtunnel-manager windtunnel-live) -tag $(IMAGE) \
		-output $(CURDIR)/dist/windtunnel-image.tar -sbom $(CURDIR)/dist/windtunnel-sbom.json

##@ Release

.PHONY: dist
dist: image chart ## Build all files of a release: the image and its bill of materials, dist/install.yaml, the chart (IMAGE=name:tag)
	$(RENDER) >dist/install.yaml

# Where users download the archives of the plugin.
PLUGIN_URI ?= https://releases.example.com/windtunnel/$(VERSION)
PLUGIN_PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64

.PHONY: plugin
plugin: ## Pack the plugin of kubectl for each platform, with its manifest for krew; the version is that of the Git tag (VERSION=v1.2.3 PLUGIN_URI=https://...)
	for on in $(PLUGIN_PLATFORMS); do \
		GOOS=$${on%/*} GOARCH=$${on#*/} $(GO_BUILD) -o dist/plugin/$$on/kubectl-windtunnel ./cmd/windtunnel || exit 1; \
	done
	$(GO) run -C hack/krew . -version '$(VERSION)' -uri '$(PLUGIN_URI)' -output '$(CURDIR)/dist' \
		$(foreach on,$(PLUGIN_PLATFORMS),$(on)=$(CURDIR)/dist/plugin/$(on)/kubectl-windtunnel)

.PHONY: chart
chart: ## Package the chart with the manifests of config/; its version is that of the Git tag, if there is one (VERSION=v1.2.3 CHART=file)
	mkdir -p '$(dir $(CHART))'
	stage=$$(mktemp -d) && trap 'rm -rf "$$stage"' EXIT && cp -R charts/windtunnel "$$stage/" && mkdir "$$stage/windtunnel/files" && \
	for name in crd:crds rbac:rbac manager:manager engine:engine; do \
		$(KUSTOMIZE) build "config/$${name%:*}" -o "$$stage/windtunnel/files/$${name#*:}.yaml" || exit 1; \
	done && \
	if [[ '$(VERSION)' == v[0-9]* ]]; then \
		sed -i 's|^version: .*|version: $(VERSION:v%=%)|; s|^appVersion: .*|appVersion: $(VERSION)|' "$$stage/windtunnel/Chart.yaml"; \
	fi && \
	tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$$stage" -c windtunnel | gzip -n >'$(CHART)'

.PHONY: previous-crds
previous-crds: ## Make the upgrade tests start from the definitions of a release (PREVIOUS=tag)
	git rev-parse --quiet --verify '$(PREVIOUS)^{commit}' >/dev/null || { echo 'PREVIOUS=tag: a release' >&2; exit 1; }
	for kind in simulationruns policysweeps; do \
		file=sim.windtunnel.dev_$$kind.yaml; \
		git show '$(PREVIOUS)':config/crd/bases/$$file | gzip -n9 >internal/testing/previous/$$file.gz; \
	done
