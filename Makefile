# Every command of the project. `make` alone lists them.

SHELL := /bin/sh
.DEFAULT_GOAL := help
BACKEND := npm run --silent -w @digital-gold/backend
TESTS ?=
BENCH ?=
TOOLS ?=
SUITE ?=
BASE_URL ?=
BEFORE ?=
AFTER ?=
PROFILE ?= smoke
IMAGE ?= digital-gold:dev
PUSH ?=
STACK ?= dev
ORDERS ?=
USERS ?=
DAYS ?=
SEED ?=
SEEDS ?=
STEPS ?=
MINUTES ?=
REPORT ?=
TALLY ?=
ONLY ?=
ROUNDS ?= 20
FROM ?=
APP ?=
LINES ?=

# What was brought into .tools takes precedence: a Node by `make install`, others by `make tools`.
export PATH := $(CURDIR)/.tools/node/bin:$(CURDIR)/.tools/bin:$(PATH)
ifneq ($(wildcard .tools/helm-plugins),)
export HELM_PLUGINS := $(CURDIR)/.tools/helm-plugins
export KUBECONFORM_SCHEMAS := $(CURDIR)/.tools/kubernetes-schemas/{{.ResourceKind}}{{.KindSuffix}}.json
endif

.PHONY: help install up down reset observe logs demo fill test bench format format-check lint typecheck build generate
.PHONY: tools charts workflows simulate simulate-sum mutate mutate-rules fuzz
.PHONY: loadtest loadtest-compare loadtest-sockets
.PHONY: alert-drills races chaos failover restore-drill cache-drill upgrade-test cluster-demo cluster-hold cluster-scale
.PHONY: image chart-schema chart-package chart-push pulumi-test examples-check
.PHONY: deploy deploy-preview deploy-drift deploy-release
.PHONY: goldctl goldctl-package goldctl-release

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo '  Ports and a given PostgreSQL or Redis: see README.md, "The local stack".'

up: install ## Bring up the whole system on this machine, and wait until it is ready
	@$(BACKEND) stack -- up

down: install ## Stop the system and keep its data
	@$(BACKEND) stack -- down

reset: install ## Stop the system and delete its data
	@$(BACKEND) stack -- reset

observe: install ## Show the running stack's dashboards, alerts and traces (OBSERVE_PORT=4191, PROMETHEUS_PORT=4190)
	@.ci/tools/install.sh prometheus >/dev/null
	@$(BACKEND) observe

logs: install ## Follow the running stack's logs, in words on a terminal (APP=worker, LINES=n)
	@APP='$(APP)' LINES='$(LINES)' $(BACKEND) logs

demo: install ## Run a customer's story against the running stack
	@$(BACKEND) demo

fill: install generate ## Fill the running stack with customers and books (ORDERS=n, USERS=n, DAYS=n)
	@ORDERS=$(ORDERS) USERS=$(USERS) DAYS=$(DAYS) $(BACKEND) fill

goldctl: install ## Build the operators' tool: npx goldctl --help
	@npm run --silent build -w cli

goldctl-package: install generate ## Pack goldctl for a release, with everything inside (VERSION=1.2.3)
	@node --import tsx cli/pack.ts $(VERSION)

goldctl-release: goldctl-package ## Pack goldctl, and make programs of it that need no Node, with checksums (VERSION=1.2.3)
	@node --import tsx cli/executables.ts $(VERSION)

test: install generate ## Run every test (TESTS=path for some of them)
	@.ci/test.sh $(TESTS)

.PHONY: test-unit
test-unit: install generate ## Run the backend's tests that need no server and start no process (TESTS=path)
	@npm run --silent test -w @digital-gold/backend -- --project unit $(TESTS)

.PHONY: test-pooler
test-pooler: install generate ## Run the backend's tests through PgBouncer, before a server of another zone (TESTS=path)
	@TEST_POOLER=pgbouncer npm run --silent test -w @digital-gold/backend -- \
		--project fast --project stories $(TESTS)

bench: install generate ## Run the benchmarks (BENCH=name for one of them)
	@$(BACKEND) bench -- $(BENCH)

simulate: install generate ## Play months of money under faults (SEED, SEEDS, STEPS, AT_ONCE, REPORT=file, TALLY=file)
	@SEED='$(SEED)' SEEDS='$(SEEDS)' STEPS='$(STEPS)' MINUTES='$(MINUTES)' AT_ONCE='$(AT_ONCE)' \
		REPORT='$(abspath $(REPORT))' TALLY='$(abspath $(TALLY))' $(BACKEND) simulate

simulate-sum: install ## Add up what a long run of the simulation has played so far (TALLY=file)
	@TALLY='$(abspath $(TALLY))' $(BACKEND) simulate-sum

mutate: install generate ## Break guards of money code, and see what finds each (ONLY=part of a name)
	@ONLY='$(ONLY)' SEEDS='$(SEEDS)' STEPS='$(STEPS)' $(BACKEND) mutate

mutate-rules: install generate ## Undo rules of the database, and see what finds each (ONLY=part of a name, SIMULATE=true)
	@ONLY='$(ONLY)' STEPS='$(STEPS)' SIMULATE='$(SIMULATE)' $(BACKEND) mutate-rules

alert-drills: install generate ## Let the alerts fire by their faults and clear by their runbooks (REPORT=file)
	@.ci/tools/install.sh prometheus promtool >/dev/null
	@DRILLS_REPORT='$(abspath $(REPORT))' npm run --silent drills -w cli

loadtest: install ## Run the k6 load tests against the running stack or BASE_URL (SUITE=name, PROFILE=smoke, load, spike, soak, breakpoint)
	@BASE_URL='$(BASE_URL)' npm run --silent loadtest -w loadtests -- $(if $(SUITE),--suite $(SUITE)) --profile $(PROFILE)

loadtest-compare: install ## Print two runs of the load tests side by side (BEFORE=folder, AFTER=folder)
	@npm run --silent compare -w loadtests -- '$(BEFORE)' '$(AFTER)'

loadtest-sockets: install ## Measure the price feed with 1 to 10,000 sockets, beside a bare Socket.IO server (SIZES=1,100)
	@SIZES='$(SIZES)' npm run --silent sockets -w loadtests

fuzz: install generate ## Fuzz the APIs by their OpenAPI documents, on a stack of its own (FUZZ_EXAMPLES=n per operation, FUZZ_SEED=n)
	@.ci/fuzz.sh

races: install generate ## Run every pair of operations on one money row at once (ROUNDS=n of each pair)
	@RACE_ROUNDS=$(ROUNDS) .ci/test.sh test/races test/jobs

chaos: install generate ## Run the processes under load while they, their stores and the network fail (DURATION=s, SEED=n)
	@.ci/tools/install.sh toxiproxy >/dev/null
	@$(BACKEND) chaos

failover: install generate goldctl ## Fail PostgreSQL over under load, and mend what an asynchronous one loses (needs patroni, etcd, haproxy)
	@.ci/tools/install.sh toxiproxy >/dev/null
	@ONLY='$(ONLY)' $(BACKEND) failover

cache-drill: install generate ## Run the k6 load tests while Redis is stopped, and while a Sentinel's master is killed
	@.ci/tools/install.sh k6 >/dev/null
	@$(BACKEND) cache-drill

restore-drill: install generate goldctl ## Back the database up to an S3, restore it to a moment, mend what is gone (needs pgbackrest)
	@$(BACKEND) restore-drill

upgrade-test: install generate ## Run an earlier build and this one on the schema of either, under load (FROM=commit)
	@FROM=$(FROM) $(BACKEND) upgrade-test

charts: ## Check the charts: lint, unit tests, schemas
	@charts/test.sh

chart-schema: install ## Make the chart's values.schema.json from the comments of its values.yaml
	@node --import tsx deploy/scripts/write-values-schema.ts charts/digital-gold .tools/kubernetes-schemas

workflows: ## Check the workflows and every shell script
	@.ci/workflows.sh

tools: ## Build helm, k6 and other tools that npm does not have into .tools (TOOLS="k6 pulumi" for some)
	@.ci/tools/install.sh $(TOOLS)

image: ## Build the image (IMAGE=name:tag, PUSH=true)
	@.ci/image.sh $(IMAGE) $(PUSH)

cluster-demo: install generate goldctl ## Install everything on the cluster of KUBECONFIG and run the story there
	@charts/demo/run.sh

cluster-hold: install generate ## Let the cluster fail under load, after cluster-demo (HOLD_ONLY=part of a title)
	@charts/demo/hold.sh

cluster-scale: install generate ## Let the customer API grow under load and shrink afterwards, on a cluster with metrics-server
	@charts/demo/scale.sh

chart-package: ## Package the chart for a release (VERSION=1.2.3)
	@.ci/chart.sh package $(VERSION)

chart-push: ## Package the chart and push it (VERSION=1.2.3, REGISTRY=oci://...)
	@.ci/chart.sh push $(VERSION) $(REGISTRY)

deploy: install ## Deploy the service to a cluster with Pulumi (STACK=dev, staging or prod; PREVIEW=a saved one)
	@PREVIEW='$(if $(PREVIEW),$(abspath $(PREVIEW)))' npm run --silent deploy -w deploy -- up '$(STACK)'

deploy-preview: install ## Save what a deployment would change (STACK)
	@npm run --silent deploy -w deploy -- preview '$(STACK)'

deploy-drift: install ## Say where a cluster is not what was deployed (STACK)
	@npm run --silent deploy -w deploy -- drift '$(STACK)'

deploy-release: ## Deploy another target's chart to the cluster (TARGET, CHART, VERSION)
	@deploy/scripts/deploy-release.sh '$(TARGET)' '$(CHART)' '$(VERSION)'

pulumi-test: install goldctl ## Test the Pulumi program on the cluster of KUBECONFIG (CLUSTER_IMAGE=name:tag)
	@npm run --silent test:cluster -w deploy

examples-check: install ## Check the examples for EKS and GKE: types, mocks and policies
	@npm ci --prefix charts/examples --no-audit --no-fund --loglevel=error
	@node node_modules/typescript-7/bin/tsc -p charts/examples/tsconfig.json
	@npm test --silent --prefix charts/examples

format: install ## Format the code
	@npm run --silent format

format-check: install ## List the files that are not formatted
	@npm run --silent format:check

lint: install generate ## Lint the code
	@npm run --silent lint

typecheck: install generate ## Check the types
	@npm run --silent typecheck

build: install goldctl ## Bundle every process into backend/dist, and goldctl into cli/dist
	@$(BACKEND) build

generate: install ## Generate the database client and the API client, if their sources have changed
	@npm run --silent generate

install: ## Install the packages, if they differ from the lock file
	@.ci/tools/node.sh
	@node backend/scripts/ensure-installed.mjs
