# Every command of the project. `make` alone lists them.

SHELL := /bin/sh
.DEFAULT_GOAL := help
BACKEND := npm run --silent -w backend
TESTS ?=
BENCH ?=

.PHONY: help install up down reset demo test bench format format-check lint typecheck build generate

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

test: install generate ## Run the tests (TESTS=path for some of them)
	@$(BACKEND) test -- $(TESTS)

bench: install generate ## Measure it (BENCH=name for one of the benchmarks)
	@$(BACKEND) bench -- $(BENCH)

format: install ## Format the code
	@npm run --silent format

format-check: install ## Say which files are not formatted
	@npm run --silent format:check

lint: install generate ## Look for mistakes
	@npm run --silent lint

typecheck: install generate ## Check the types
	@npm run --silent typecheck

build: install ## Bundle every process into backend/dist
	@$(BACKEND) build

generate: install ## Make the database client from the schema, if it has changed
	@$(BACKEND) generate

install: ## Install the packages, if they are not what the lock file says
	@command -v node >/dev/null 2>&1 || { echo 'Node 20.19 or newer is needed: node is not on the PATH'; exit 1; }
	@node backend/scripts/ensure-installed.mjs
