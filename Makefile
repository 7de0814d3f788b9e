# Run `make check` while you work, and `make test` before you submit. All update .venv when pyproject.toml has changed.

VERSION := $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' krm_fn/__init__.py)
PYTHON ?= python3
IMAGE ?= krm-fn:$(VERSION)
# The same commit gives the same bytes.
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
BUILD_ARGS = $(foreach pair,IMAGE=$(IMAGE) VERSION=$(VERSION) REVISION=$(shell git rev-parse HEAD 2>/dev/null) \
  SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH),--build-arg $(pair))

PIP := .venv/bin/python -m pip -qq --disable-pip-version-check
INSTALLED := .venv/installed

.DELETE_ON_ERROR:
.NOTPARALLEL:
# The theme of the site prints an advertisement of its next version without this variable.
docs: export NO_MKDOCS_2_WARNING = true

.PHONY: help demo docs lock dist test test-gitops night test-versions check test-all submission fuzz budget lint bench image clean packages tools static types layers workflows

help:
	@echo 'make demo    render examples/canary and show the diff'
	@echo 'make test    run the tests that need no other program and little time: ten minutes on two busy processors'
	@echo 'make check   run lint, types, layers, and the tests of all that differs from main'
	@echo 'make test-all    install the tools and run everything, as CI does: an hour and a quarter, 15 minutes more the first time'
	@echo 'make test-gitops   build Argo CD, Flux, Helm 4 and External Secrets, half an hour, and run the tests of deployers'
	@echo 'make night   run all rows of all tests, and all that each run tries a part of: hours'
	@echo 'make test-versions   run the tests of each version of the programs in tests/tools/versions.toml: hours'
	@echo 'make fuzz    try all of what each run tries a part of, give nonsense to all readers, and run the mutants: half an hour'
	@echo 'make lint    run ruff only'
	@echo 'make docs    build the site of the documentation: build/site'
	@echo 'make lock    write locks/ again, after a change in pyproject.toml'
	@echo 'make bench   measure speed and memory'
	@echo 'make dist    build the wheel and the sdist'
	@echo 'make image   build $(IMAGE)'
	@echo 'make clean   remove .venv and caches'

demo: $(INSTALLED)
	@sh examples/canary/demo

# Needs Python, git and make alone.
test: $(INSTALLED)
	@.venv/bin/python -m tests.run test

test-all: static submission

submission: packages $(INSTALLED) tools
	@.venv/bin/python -m tests.run submission

# All rows, under each deployer that is built, and all of what each run tries a part of: an issue ends with one whole night.
night: export KRM_FN_VOLUME = 1
night: static packages $(INSTALLED) tools
	@.venv/bin/python -m tests.run night

# Argo CD, Flux, Helm 4 and External Secrets are only tested where they have been built: here, or before, or with GITOPS=1 make test-all.
test-gitops: export GITOPS = 1
test-gitops: packages $(INSTALLED) tools
	@.venv/bin/pytest tests/gitops

check: $(INSTALLED) static
	@.venv/bin/python -m tests.run changed

# All that each run tries a part of, nonsense for as long as there is time, and the mutants. A failure says how to repeat it.
MINUTES ?= 10
fuzz: SEED := $(or $(SEED),$(shell date +%s))

fuzz: $(INSTALLED)
	@echo 'make fuzz SEED=$(SEED)'
	@# With the programs that are installed.
	@KRM_FN_VOLUME=1 KRM_FN_SEED=$(SEED) .venv/bin/pytest --quiet --numprocesses auto --dist worksteal \
	  --ignore tests/integration --ignore tests/cluster --ignore tests/gitops \
	  --hypothesis-seed $(SEED) -m 'volume or nightly or hypothesis'
	@.venv/bin/python -m tests.tools.fuzz --minutes $(MINUTES) --seed $(SEED)
	@.venv/bin/python -m tests.mutants --telling

# `make test-versions CELLS="kubernetes=1.34 helm"` runs a part.
CELLS ?=
test-versions: packages $(INSTALLED)
	@.venv/bin/python -m tests.tools.versions $(CELLS)

static: lint types layers budget workflows

types: $(INSTALLED)
	@.venv/bin/mypy

layers: $(INSTALLED)
	@.venv/bin/lint-imports --no-logo

budget: $(INSTALLED)
	@.venv/bin/python -m tests.repository.budget

lint: $(INSTALLED)
	@.venv/bin/ruff check
	@.venv/bin/ruff format --check

docs: $(INSTALLED)
	@.venv/bin/mkdocs build --strict --quiet

# The fast tests run actionlint too, where it has been built.
workflows: $(INSTALLED)
	@.venv/bin/zizmor --offline --quiet --pedantic --no-progress .

bench: $(INSTALLED) tools
	@.venv/bin/python -m benchmarks
	@.venv/bin/python -m benchmarks.start
	@.venv/bin/python -m benchmarks.linker

image:
	docker build --tag $(IMAGE) $(BUILD_ARGS) .

# The wheel and the sdist, in dist/.
dist: $(INSTALLED)
	@SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) .venv/bin/python release/build_dist.py dist

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis build dist *.egg-info

tools:
	@$(PYTHON) tests/tools/build.py
	@$(PYTHON) tests/tools/node_packages.py

# Install a container engine for the image tests and, for Debian's Python, python3-venv.
packages:
	@sh tests/tools/debian-packages $(PYTHON)

# Write the locks again after a change in pyproject.toml; versions stay if they can. `make lock UPGRADE=--upgrade` takes new ones.
# The locks hold for all platforms and all versions of Python that pyproject.toml allows.
UPGRADE ?=
COMPILE := .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes

lock: $(INSTALLED)
	@$(COMPILE) $(UPGRADE) --group build --output-file locks/build.txt
	@$(COMPILE) $(UPGRADE) pyproject.toml --extra linker --output-file locks/image.txt
	@$(COMPILE) $(UPGRADE) pyproject.toml --extra linker --group dev --output-file locks/dev.txt

$(INSTALLED): pyproject.toml locks/dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'needs Python 3.11 or newer: make PYTHON=python3.12 ...' >&2; exit 1; }
	@echo 'Setting up .venv, once. This takes about a minute.' >&2
	@echo '1/3 a new Python environment' >&2
	@test -x .venv/bin/pip || $(PYTHON) -m venv .venv \
	  || { echo 'python -m venv failed; on Debian and Ubuntu: apt-get install python3-venv' >&2; exit 1; }
	@echo '2/3 the tools and what krm-fn needs, as in locks/dev.txt' >&2
	@$(PIP) install --require-hashes --no-deps --requirement locks/dev.txt
	@echo '3/3 krm-fn' >&2
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@
