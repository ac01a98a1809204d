# SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
#
# SPDX-License-Identifier: Apache-2.0

# Every target calls the binary, or a Go program; there is nothing in here to read. FLAGS are passed on:
#   make kind-up FLAGS="-f environment.yaml --timeout 20m"

KINDLING      := bin/kindling
GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
SOURCES       := $(shell find cmd pkg templates -type f) go.mod go.sum
FUZZTIME      ?= 5s

.DEFAULT_GOAL := help

##@ Clusters

.PHONY: kind-up kind-single-node-up
kind-up kind-single-node-up: $(KINDLING) ## Bring up one node (profile local)
	$(KINDLING) up local $(FLAGS)

.PHONY: kind-down kind-single-node-down
kind-down kind-single-node-down: $(KINDLING) ## Take it down
	$(KINDLING) down local $(FLAGS)

.PHONY: kind2-up kind-single-node2-up
kind2-up kind-single-node2-up: $(KINDLING) ## Bring up a second seed beside it (profile local2)
	$(KINDLING) up local2 $(FLAGS)

.PHONY: kind2-down kind-single-node2-down
kind2-down kind-single-node2-down: $(KINDLING) ## Take it down
	$(KINDLING) down local2 $(FLAGS)

.PHONY: kind-ha-single-zone-up
kind-ha-single-zone-up: $(KINDLING) ## Bring up three nodes in one zone (profile ha-single-zone)
	$(KINDLING) up ha-single-zone $(FLAGS)

.PHONY: kind-ha-single-zone-down
kind-ha-single-zone-down: $(KINDLING) ## Take it down
	$(KINDLING) down ha-single-zone $(FLAGS)

.PHONY: kind2-ha-single-zone-up kind-ha-single-zone2-up
kind2-ha-single-zone-up kind-ha-single-zone2-up: $(KINDLING) ## Bring up a second seed with three nodes beside it (profile ha-single-zone2)
	$(KINDLING) up ha-single-zone2 $(FLAGS)

.PHONY: kind2-ha-single-zone-down kind-ha-single-zone2-down
kind2-ha-single-zone-down kind-ha-single-zone2-down: $(KINDLING) ## Take it down
	$(KINDLING) down ha-single-zone2 $(FLAGS)

.PHONY: kind-ha-multi-zone-up
kind-ha-multi-zone-up: $(KINDLING) ## Bring up three nodes in three zones (profile ha-multi-zone)
	$(KINDLING) up ha-multi-zone $(FLAGS)

.PHONY: kind-ha-multi-zone-down
kind-ha-multi-zone-down: $(KINDLING) ## Take it down
	$(KINDLING) down ha-multi-zone $(FLAGS)

.PHONY: kind-multi-node-up
kind-multi-node-up: $(KINDLING) ## Bring up three nodes in one zone, in the cluster of kind-up (profile multi-node)
	$(KINDLING) up multi-node $(FLAGS)

.PHONY: kind-multi-node-down
kind-multi-node-down: $(KINDLING) ## Take it down
	$(KINDLING) down multi-node $(FLAGS)

.PHONY: kind-multi-node2-up
kind-multi-node2-up: $(KINDLING) ## Bring up a second seed with three nodes beside it (profile multi-node2)
	$(KINDLING) up multi-node2 $(FLAGS)

.PHONY: kind-multi-node2-down
kind-multi-node2-down: $(KINDLING) ## Take it down
	$(KINDLING) down multi-node2 $(FLAGS)

.PHONY: kind-multi-zone-up
kind-multi-zone-up: $(KINDLING) ## Bring up three nodes in three zones, in the cluster of kind-up (profile multi-zone)
	$(KINDLING) up multi-zone $(FLAGS)

.PHONY: kind-multi-zone-down
kind-multi-zone-down: $(KINDLING) ## Take it down
	$(KINDLING) down multi-zone $(FLAGS)

.PHONY: kind-operator-up
kind-operator-up: $(KINDLING) ## Bring up three zones for a garden by gardener-operator (profile operator)
	$(KINDLING) up operator $(FLAGS)

.PHONY: kind-operator-down
kind-operator-down: $(KINDLING) ## Take it down
	$(KINDLING) down operator $(FLAGS)

.PHONY: kind-extensions-up
kind-extensions-up: $(KINDLING) ## Bring up a garden for a remote seed (profile extensions)
	$(KINDLING) up extensions $(FLAGS)

.PHONY: kind-extensions-down
kind-extensions-down: $(KINDLING) ## Take it down
	$(KINDLING) down extensions $(FLAGS)

##@ Development

.PHONY: help
help: ## Show this help
	@go run ./hack/makehelp $(MAKEFILE_LIST)

.PHONY: build
build: $(KINDLING) ## Build bin/kindling

$(KINDLING): $(SOURCES)
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o $@ ./cmd/kindling

.PHONY: test
test: ## Unit, golden, CLI and fuzz tests; needs only Go
	go test -timeout 20m ./cmd/... ./pkg/... ./internal/... ./hack/... ./test/cli/...
	cd hack/nodeimage && go test ./...
	cd hack/registryimage && go vet ./...

.PHONY: test-race
test-race: ## The same with the race detector
	go test -race ./cmd/... ./pkg/... ./internal/... ./test/cli/...

.PHONY: test-e2e
test-e2e: ## Tests with a real engine and a real cluster; needs an engine with the node image
	go test ./test/e2e -count=1 -timeout 60m -parallel 4 -v

.PHONY: fuzz
fuzz: ## Run every fuzz test for FUZZTIME
	go run ./hack/fuzz -time $(FUZZTIME)

.PHONY: bench
bench: ## Benchmarks
	go test -run '^$$' -bench . -benchmem ./pkg/...

.PHONY: bench-up
bench-up: $(KINDLING) ## Time the scripts' way, kindling, and two clusters at once, in turn; BENCH="-file F -runs N" are passed on
	go run ./hack/bench -kindling $(KINDLING) $(BENCH)

.PHONY: lint
lint: ## golangci-lint at a pinned version
	go run $(GOLANGCI_LINT) run ./...
	cd hack/nodeimage && go run $(GOLANGCI_LINT) run --config ../../.golangci.yaml ./...
	cd hack/registryimage && go run $(GOLANGCI_LINT) run --config ../../.golangci.yaml ./...

.PHONY: vulncheck
vulncheck: ## Look dependencies up in Go's vulnerability database, where it can be reached
	go run ./hack/vulncheck

.PHONY: generate
generate: ## Write JSON Schema, command pages and golden files anew
	go run ./hack/schema
	go run ./hack/docs
	go test ./pkg/render ./pkg/registry/... ./pkg/cmd ./pkg/vpn -update
