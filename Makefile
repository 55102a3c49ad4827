# The commands of everyday work. `make help` lists them.

SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
JOBS ?= $(shell nproc)
MINUTES ?= 30
LIVES ?= 1000000
SAMPLE ?= deploy/samples/tfjob-ps.yaml
STAGES ?= test
SOURCES = $(shell git ls-files '*.cpp' '*.hpp')
export JOBS LIVES

.DEFAULT_GOAL := help

##@ Use

.PHONY: help
help: ## Say what there is
	@awk 'BEGIN {FS = ":.*##"} \
	  /^##@/ {printf "\n%s\n", substr($$0, 5)} \
	  /^[a-z0-9-]+:.*##/ {printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: packages ## Build build/troupe
	@[ -x build/troupe ] || echo "Building build/troupe: about four minutes on two cores, the first time."
	@cmake --preset release $(if $(wildcard build/CMakeCache.txt),>/dev/null)
	@cmake --build --preset release -j $(JOBS) --target troupe

.PHONY: image
image: build ## Make the container image, an OCI archive: build/troupe-oci.tar
	@deploy/image/build_image.py

.PHONY: dist
dist: build ## Make the archive that runs on any Linux, and its checksum: build/dist
	@cmake --build --preset release --target troupe_launcher
	@deploy/archive/build_archive.py

.PHONY: chart
chart: ## Make the Helm chart, a file and an OCI artifact: build/dist/troupe-*
	@deploy/build_chart.py

.PHONY: install-file
install-file: ## Make build/dist/install.yaml for kubectl apply (IMAGE=REGISTRY/troupe:TAG)
	@deploy/write_install.py --output build/dist/install.yaml \
	  $(if $(IMAGE),--image $(IMAGE))

.PHONY: krew
krew: ## Make krew's manifest of the archives in build/dist (URL=where they will be)
	@deploy/krew/write_manifest.py --archives build/dist \
	  --url $(or $(URL),$(error name the release's URL: make krew URL=https://...)) \
	  --output build/dist/troupe.yaml

.PHONY: build-arm64
build-arm64: ## Build build-arm64/troupe, for arm64, on another machine
	@.ci/install-packages arm64
	@cmake/build_sysroot.py arm64 build-arm64/sysroot
	@cmake --preset arm64 $(if $(wildcard build-arm64/CMakeCache.txt),>/dev/null)
	@cmake --build --preset arm64 -j $(JOBS) --target troupe

.PHONY: images
images: image build-arm64 ## Images for amd64 and arm64, joined: build/troupe-oci-index.tar
	@deploy/image/build_image.py --architecture arm64
	@deploy/image/build_index.py build/troupe-oci-index.tar \
	  build/troupe-oci.tar build-arm64/troupe-oci.tar

.PHONY: run
run: build ## Run a sample job on this machine (SAMPLE=FILE for another)
	@echo "Running $(SAMPLE) on this machine"
	@build/troupe run $(SAMPLE)

.PHONY: docs
docs: ## Make the documentation as a site, which is read from files: build/site
	@.ci/install-packages all
	@docs/site/build_site.py

##@ Release

.PHONY: dist-arm64
dist-arm64: build-arm64 ## The same for arm64
	@cmake --build --preset arm64 --target troupe_launcher
	@deploy/archive/build_archive.py --architecture arm64

.PHONY: wheel
wheel: ## Make the wheels for pip, of the archives of `make dist`: build/dist
	@deploy/wheel/build_wheel.py

.PHONY: deb
deb: build ## Make the Debian package: build/troupe_*.deb
	@cd build && cpack -G DEB

.PHONY: release
release: ## All that is published (URL=https://..., IMAGE=NAME, COMPLETE=yes): build/release
	@.ci/install-packages all
	@deploy/release/make_release.py --url "$(URL)" --image "$(IMAGE)" \
	  $(if $(COMPLETE),--complete)

##@ Work on it

.PHONY: test
test: ## What needs no Go and no gigabytes, in some ten minutes
	@.ci/install-packages test
	@.ci/stages.py test

.PHONY: test-all
test-all: ## Everything, in an hour: all stages of .ci/stages.py but conformance
	@$(MAKE) --no-print-directory stages STAGES=test-all

.PHONY: test-fast
test-fast: ## Core and actors only
	@.ci/install-packages test
	@.ci/stages.py fast

.PHONY: test-cluster
test-cluster: ## Against a real kube-apiserver and etcd
	@$(MAKE) --no-print-directory stages STAGES=cluster

.PHONY: test-newest
test-newest: ## Our API server and definitions beside kube-apiserver 1.37.2
	@$(MAKE) --no-print-directory stages STAGES=newest

.PHONY: test-archives
test-archives: ## The archive on Debian 11, 12 and 13; as root, downloads 400 MB once
	@$(MAKE) --no-print-directory stages STAGES=archives

.PHONY: test-reproducible
test-reproducible: ## Two builds on other dates give the same bytes, 15 minutes
	@$(MAKE) --no-print-directory stages STAGES=reproducible

.PHONY: test-originals
test-originals: ## Changing over from the original operators themselves, and back; with Go
	@$(MAKE) --no-print-directory stages STAGES=originals

.PHONY: test-kueue
test-kueue: ## Jobs of all kinds in queues of Kueue's, which Go builds first
	@$(MAKE) --no-print-directory stages STAGES=kueue

.PHONY: test-kueue-chaos
test-kueue-chaos: build ## 200 jobs in a queue while operator, Kueue and API server are killed (MINUTES=10)
	@python3 tests/queueing/chaos.py --minutes $(if $(filter file,$(origin MINUTES)),10,$(MINUTES))

.PHONY: test-native-gangs
test-native-gangs: ## Gangs of Kubernetes 1.37.2 itself, which Go builds first
	@$(MAKE) --no-print-directory stages STAGES=native-gangs

.PHONY: test-oldest
test-oldest: ## What a cluster has to have, on kube-apiserver 1.26.15
	@$(MAKE) --no-print-directory stages STAGES=oldest

.PHONY: test-arm64
test-arm64: ## Built for arm64 on this machine, and tested in qemu
	@.ci/install-packages arm64
	@.ci/stages.py arm64

.PHONY: test-frameworks
test-frameworks: ## Real training frameworks on this machine; gigabytes of packages
	@$(MAKE) --no-print-directory stages STAGES="training frameworks"

.PHONY: faults
faults: build ## All plans of tests/faults, for hours (FAULTS="--shard 1/8", FAULTS="--pairs 3000")
	@tests/faults/run.py $(FAULTS)

.PHONY: fuzz
fuzz: ## Each fuzzer of tests/fuzz for MINUTES, from what it found before
	@.ci/install-packages all
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz -j $(JOBS)
	@tests/fuzz/run.py --minutes $(MINUTES) $(FUZZERS)

.PHONY: explore
explore: packages ## Small worlds of a job in every order, for hours (WORLDS=names of some)
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS) --target explore
	@build/explore $(WORLDS)

.PHONY: lives
lives: packages ## Simulate random jobs, for hours (LIVES=1000000 TROUPE_SEED=1)
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS) --target lives
	@build/lives

.PHONY: stages
stages: ## Some stages of the tests: STAGES="fast style"
	@.ci/install-packages all
	@.ci/stages.py $(STAGES)

.PHONY: bench
bench: build ## Measure the operator beside a client without decisions
	@python3 tests/bench/bench.py
	@python3 tests/bench/replicas.py
	@python3 tests/bench/laptop.py
	@python3 tests/bench/cold_start.py

.PHONY: bench-recovery
bench-recovery: build ## Measure restarts of 1000 pods beside a bare client and JobSet
	@python3 tests/bench/recovery.py --repeat 3

.PHONY: format
format: ## Format all sources
	@clang-format -i $(SOURCES)

.PHONY: pictures
pictures: build ## Make the pictures of the admin page in docs/ anew; look at them
	@python3 tests/page/test_pictures.py --renew

.PHONY: packages
packages:
	@.ci/install-packages
