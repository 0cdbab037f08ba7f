# SPDX-License-Identifier: GPL-2.0-only
# Every target is a thin call of the script that does the work.

# Headers to build against: those of the newest installed Debian kernel.
KDIR ?= $(lastword $(shell ls -d /usr/src/linux-headers-*-amd64 2>/dev/null | sort -V))
JOBS ?= $(shell nproc)

.PHONY: modules clean help demo test test-full test-transports bench bench-seeds profile unit lint lint-report images

ifneq ($(words $(CURDIR)),1)
$(error the kernel's build system can't work in a folder with spaces in its path: $(CURDIR))
endif

modules: ## build xen-blkback.ko and xen-blkfront.ko (KDIR=headers of a kernel)
	@test -n "$(KDIR)" || { echo "no kernel headers: apt-get install linux-headers-amd64, or give KDIR=" >&2; exit 1; }
	$(MAKE) -C "$(KDIR)" M="$(CURDIR)" -j$(JOBS) modules

clean: ## remove what the build made
	@test -z "$(KDIR)" || $(MAKE) -C "$(KDIR)" M="$(CURDIR)" clean
	rm -rf tests/results tests/unit/bin tests/hostile/bin .checkpatch-camelcase.*

images: ## make the hypervisor, dom0 and guest images (cached outside the tree)
	tests/lib/install-deps
	guest-images/build

demo: ## the main job, start to end, on an emulated Xen host
	tests/lib/install-deps
	tests/demo

test: ## lint, unit tests, and the tests on the emulated host (under 35 minutes)
	tests/lib/install-deps
	tests/all

test-full: ## the same and the long tests
	tests/lib/install-deps
	tests/all --full

test-transports: ## the host's tests with each way of moving data forced, a row each (TRANSPORT=)
	tests/lib/install-deps
	tests/transports

bench: ## cost per I/O against the stock pair (JOB=, QUEUES=, SIDE= choose points)
	tests/lib/install-deps
	tests/perf/bench

bench-seeds: ## block sizes across 1 to 8 queues, ours and the stock pair (QUEUES=, JOB=, SIDE=)
	tests/lib/install-deps
	tests/perf/bench seeds

profile: ## where the instructions of one point go (JOB=, QUEUES=, SIDE=)
	tests/lib/install-deps
	tests/perf/profile

unit: ## unit tests of the pure code, under ASan and UBSan
	prove tests/unit

lint: ## style and static checks; prints nothing when clean
	@tests/lint/run

lint-report: ## function and file lengths
	@tests/lint/report

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22
