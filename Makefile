# Every command of the project. `make` alone lists them.

SHELL := /bin/sh
.DEFAULT_GOAL := help
BACKEND := npm run --silent -w backend
TESTS ?=
BENCH ?=
TOOLS ?=
SUITE ?=
PROFILE ?= smoke
IMAGE ?= digital-gold:dev
PUSH ?=
STACK ?= dev

# What `make tools` built comes first.
export PATH := $(CURDIR)/.tools/bin:$(PATH)
ifneq ($(wildcard .tools/helm-plugins),)
export HELM_PLUGINS := $(CURDIR)/.tools/helm-plugins
export KUBECONFORM_SCHEMAS := $(CURDIR)/.tools/kubernetes-schemas/{{.ResourceKind}}{{.KindSuffix}}.json
endif

.PHONY: help install up down reset demo test bench format format-check lint typecheck build generate
.PHONY: tools charts workflows loadtest cluster-demo image chart-package chart-push deploy
.PHONY: deploy-release pulumi-test goldctl

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo '  Ports and a given PostgreSQL or Redis: see README.md, "The local stack".'

up: install ## Bring up the whole system on this machine, and wait until it is ready
	@$(BACKEND) stack -- up

down: install ## Stop it and keep its data
	@$(BACKEND) stack -- down

reset: install ## Stop it and clear its data
	@$(BACKEND) stack -- reset

demo: install ## Play a customer's story against the running stack
	@$(BACKEND) demo

goldctl: install ## Build the operators' tool: npx goldctl --help
	@npm run --silent build -w cli

test: install generate ## Run every test (TESTS=path for some of them)
	@.ci/test.sh $(TESTS)

bench: install generate ## Measure it (BENCH=name for one of the benchmarks)
	@$(BACKEND) bench -- $(BENCH)

loadtest: install ## Load the running stack with k6 (SUITE=name, PROFILE=smoke, load or soak)
	@npm run --silent loadtest -w loadtests -- $(if $(SUITE),--suite $(SUITE)) --profile $(PROFILE)

charts: ## Check the charts: lint, unit tests, schemas
	@charts/test.sh

workflows: ## Check the workflows
	@actionlint

tools: ## Build helm, k6 and what else npm does not have into .tools (TOOLS="k6 pulumi" for some)
	@.ci/tools/install.sh $(TOOLS)

image: ## Build the image (IMAGE=name:tag, PUSH=true)
	@.ci/image.sh $(IMAGE) $(PUSH)

cluster-demo: install goldctl ## Install everything on the cluster of KUBECONFIG and play the story there
	@charts/demo/run.sh

chart-package: ## Package the chart for a release (VERSION=1.2.3)
	@.ci/chart.sh package $(VERSION)

chart-push: ## Package the chart and push it (VERSION=1.2.3, REGISTRY=oci://...)
	@.ci/chart.sh push $(VERSION) $(REGISTRY)

deploy: install ## Put the service on a cluster with Pulumi (STACK=dev, staging or prod)
	@npm run --silent deploy -w deploy -- $(STACK)

deploy-release: ## Put another target's chart on the cluster (TARGET, CHART, VERSION)
	@deploy/scripts/deploy-release.sh '$(TARGET)' '$(CHART)' '$(VERSION)'

pulumi-test: install goldctl ## Try the Pulumi program on the cluster of KUBECONFIG (CLUSTER_IMAGE=name:tag)
	@npm run --silent test:cluster -w deploy

format: install ## Format the code
	@npm run --silent format

format-check: install ## Say which files are not formatted
	@npm run --silent format:check

lint: install generate ## Look for mistakes
	@npm run --silent lint

typecheck: install generate ## Check the types
	@npm run --silent typecheck

build: install goldctl ## Bundle every process into backend/dist, and goldctl into cli/dist
	@$(BACKEND) build

generate: install ## Make the database client from the schema, if it has changed
	@$(BACKEND) generate

install: ## Install the packages, if they are not what the lock file says
	@command -v node >/dev/null 2>&1 || { echo 'Node 20.19 or newer is needed: node is not on the PATH'; exit 1; }
	@node backend/scripts/ensure-installed.mjs
