# Everything a newcomer needs: `make demo` and `make test`. `make help` lists the rest.

CARGO   ?= cargo
# One profile for the binary and all tests, so that nothing is compiled twice.
PROFILE := release
MNEME   := $(or $(CARGO_TARGET_DIR),target)/$(PROFILE)/mneme
MICRO   := $(MNEME)-micro
# Of the fuzz targets, which are no part of the workspace: they are checked without the coverage that `fuzz` builds them with.
FUZZ_CHECK := $(or $(CARGO_TARGET_DIR),target)/fuzz-check
# Options for the scripts behind `torture` and `bench`, e.g. make torture ARGS='--filter 2000'
ARGS    ?=
# Where `install` puts things.
PREFIX  ?= /usr/local
# How long `fuzz` runs each of its targets.
FUZZ_SECONDS ?= 60
# Programs that `csmith` and `differential` make, and files of each kind that `mutate` makes.
N       ?= 500

.DEFAULT_GOAL := help
.PHONY: help deps build install demo test test-all paranoid settings bench bench-resolve bench-merge bench-patterns bench-planes bench-heaplets bench-search bench-check bench-handlers difftest alone micro lint torture torture32 csmith differential juliet svcomp mutate fuzz clean

help: ## this list
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

deps: ## install the Debian packages that are missing
	@scripts/deps.sh

build: deps ## build the mneme binary
	$(CARGO) build --profile $(PROFILE) --package mneme

install: build ## put mneme, its manual and its completions under PREFIX (/usr/local)
	@scripts/install.sh $(MNEME) $(DESTDIR)$(PREFIX)

demo: build ## run mneme on an example with a bug and show the finding
	@scripts/demo.sh $(MNEME)

test: build ## all tests: unit tests, laws, the C corpus on three models a program, 200 random programs
	@scripts/deps.sh python3 cvc5
	MNEME_BIN=$(abspath $(MNEME)) $(CARGO) test --profile $(PROFILE) --workspace
	python3 scripts/differential.py --mneme $(MNEME) --seeds scripts/differential-seeds.txt --seed 1 --count 200 --rows 1

paranoid: build ## the C corpus, every answer of a cache compared with the solver's; merging, too; parsers have such runs of their own
	MNEME_BIN=$(abspath $(MNEME)) MNEME_RUN_OPTIONS=--paranoid $(CARGO) test --profile $(PROFILE) --package mneme-testkit --test corpus -- '[objects]' --skip=parsers/ --skip='atof_merged_ok.c --merge auto' --skip='-DEAGER -DCAPACITY=16'
	MNEME_BIN=$(abspath $(MNEME)) MNEME_RUN_OPTIONS=--paranoid $(CARGO) test --profile $(PROFILE) --package mneme-testkit --test corpus -- '[planes]' --skip=parsers/ --skip='atof_merged_ok.c --merge auto' --skip='symmmu_5_5_profiler.c -DN=32' --skip='-DEAGER -DCAPACITY=16'
	MNEME_BIN=$(abspath $(MNEME)) MNEME_RUN_OPTIONS=--paranoid MNEME_SETTINGS=tree $(CARGO) test --profile $(PROFILE) --package mneme-testkit --test settings -- control/merge_
	MNEME_BIN=$(abspath $(MNEME)) MNEME_RUN_OPTIONS=--paranoid MNEME_SETTINGS=tree $(CARGO) test --profile $(PROFILE) --package mneme-testkit --test settings -- memory/size_

test-all: test paranoid settings ## all of it without covering arrays: hours
	MNEME_BIN=$(abspath $(MNEME)) MNEME_SETTINGS=all $(CARGO) test --profile $(PROFILE) --package mneme-testkit --test corpus
	MNEME_BIN=$(abspath $(MNEME)) MNEME_SETTINGS=all $(CARGO) test --profile $(PROFILE) --package mneme-testkit --test policies
	MNEME_SETTINGS=all $(CARGO) test --profile $(PROFILE) --package mneme-testkit --test example

settings: build ## the C corpus over every --resolve x --split x --sizes x --merge: hours (ARGS=memory/ for a part)
	MNEME_BIN=$(abspath $(MNEME)) MNEME_SETTINGS=all $(CARGO) test --profile $(PROFILE) --package mneme-testkit --test settings -- $(ARGS)

lint: deps ## formatting and clippy, warnings are errors; fuzz/ compiles
	$(CARGO) fmt --all --check
	$(CARGO) fmt --manifest-path fuzz/Cargo.toml --check
	$(CARGO) clippy --profile $(PROFILE) --workspace --all-targets --quiet -- -D warnings
	$(CARGO) check --manifest-path fuzz/Cargo.toml --locked --target-dir $(FUZZ_CHECK) --quiet

bench: build ## speed against native code; time per fork; time, paths and queries of the papers' programs
	@scripts/deps.sh python3
	$(CARGO) build --profile $(PROFILE) --package mneme-micro
	python3 scripts/bench.py --mneme $(MNEME) $(ARGS)
	@echo; $(MICRO) fork

bench-merge: build ## modes of symbolic sizes side by side: time, queries, coverage
	@scripts/deps.sh python3
	python3 scripts/bench_merge.py --mneme $(MNEME) $(ARGS)

bench-patterns: build ## merging by patterns against the other ways, on parsers and on functions of libraries of Debian
	@scripts/deps.sh python3 dpkg-dev
	python3 scripts/bench_patterns.py --mneme $(abspath $(MNEME)) $(ARGS)

bench-resolve: build ## policies for pointers to several objects, and splitting: paths, queries and CPU time
	@scripts/deps.sh python3
	python3 scripts/bench_resolve.py --mneme $(MNEME) $(ARGS)

bench-planes: build ## the planes model: the papers' programs; with SVCOMP=DIR the tables of its paper
	@scripts/deps.sh python3
	python3 scripts/bench_planes.py --mneme $(MNEME) $(if $(SVCOMP),--programs $(SVCOMP)) $(ARGS)

bench-heaplets: build ## the heaplets model with SVCOMP=DIR: what each allocation check costs with each solver
	@scripts/deps.sh python3
	python3 scripts/bench_heaplets.py --mneme $(MNEME) --programs $(SVCOMP) $(ARGS)

bench-handlers: build ## access policies as C code: dispatch, 23 string functions, profiler, heap checker, lines of code
	@scripts/deps.sh python3
	python3 scripts/bench_handlers.py --mneme $(MNEME) $(ARGS)

bench-search: build ## on libraries of Debian: how soon the first test comes, and the branches that tests reach
	@scripts/deps.sh python3 dpkg-dev
	python3 scripts/bench_search.py --mneme $(abspath $(MNEME)) $(ARGS)

bench-check: build ## mneme check beside clang --analyze: on libraries of Debian, and with JULIET=DIR on pairs of Juliet
	@scripts/deps.sh python3 dpkg-dev
	python3 scripts/bench_check.py libraries --mneme $(abspath $(MNEME)) $(ARGS)
	$(if $(JULIET),python3 scripts/bench_check.py juliet --juliet $(JULIET) --mneme $(abspath $(MNEME)) $(ARGS))

micro: deps ## instructions of one operation of each layer, into benches/micro/counts.txt
	@scripts/deps.sh valgrind python3
	$(CARGO) build --profile $(PROFILE) --package mneme-micro
	python3 scripts/micro.py --micro $(MICRO) --write benches/micro/counts.txt

torture: build ## gcc.c-torture/execute, compared with native runs
	@scripts/deps.sh gcc-12-source xz-utils python3
	python3 scripts/torture.py --mneme $(MNEME) $(ARGS)

torture32: build ## the same for 32 bits
	@scripts/deps.sh gcc-12-source xz-utils python3
	python3 scripts/torture.py --m32 --mneme $(MNEME) $(ARGS)

csmith: build ## N=500 random programs, compared with native runs
	@scripts/deps.sh csmith libcsmith-dev python3
	python3 scripts/csmith.py --mneme $(MNEME) -n $(N) $(ARGS)

differential: build ## N=500 random programs, compared with native runs on every input
	@scripts/deps.sh python3
	python3 scripts/differential.py --mneme $(MNEME) --count $(N) $(ARGS)

difftest: build ## functions of musl and newlib against glibc: those that differ, with their inputs
	@scripts/deps.sh python3 dpkg-dev musl-tools gcc make
	python3 scripts/difftest.py --mneme $(abspath $(MNEME)) $(ARGS)

alone: build ## functions of libraries, each run alone: findings that are confirmed, lines that are reached
	@scripts/deps.sh python3 dpkg-dev
	python3 scripts/alone.py --mneme $(abspath $(MNEME)) $(ARGS)

fuzz: build ## fuzz what reads foreign bytes, each target for FUZZ_SECONDS (60)
	@scripts/fuzz.sh $(MNEME) $(FUZZ_SECONDS)

mutate: build ## damaged and strange bitcode and tests (N=500 of each kind): no panic, no hang
	@scripts/deps.sh python3
	python3 scripts/mutate.py --mneme $(MNEME) -n $(N) $(ARGS)

juliet: build ## bad and good twins of the Juliet suite, whose checkout JULIET names
	@scripts/deps.sh python3
	python3 scripts/juliet.py --mneme $(MNEME) --juliet $(JULIET) --write docs/juliet.md $(ARGS)

svcomp: build ## verdicts on programs of SV-COMP, whose directory SVCOMP names
	@scripts/deps.sh python3
	python3 scripts/svcomp.py --mneme $(MNEME) --programs $(SVCOMP) $(ARGS)

clean: ## remove what was built
	$(CARGO) clean
	rm -rf mneme-out
