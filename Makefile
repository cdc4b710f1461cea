# Every target installs its own requirements: Debian packages with apt, Python packages in .venv, Java packages with Maven.
SHELL := /bin/sh
ARGS ?=
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
LAB_PACKAGES := haproxy nginx-light keepalived iproute2 procps python3 python3-venv
STUDY_PACKAGES := apache2 apache2-utils libnginx-mod-stream openssl
TEST_PACKAGES := $(LAB_PACKAGES) $(STUDY_PACKAGES) tcpdump util-linux chromium prometheus openssh-client openssh-server
JUDGED_PACKAGES := apache2-utils wrk
PICTURE_PACKAGES := xdotool imagemagick
JAVA_PACKAGES := default-jdk maven xvfb
JMETER := build/jmeter
OLDER_JMETERS := 5.4.3 5.5
INFLUXDB_1 := 1.8.3
INFLUXDB_2 := 2.7.12
# A drill needs namespaces. Root can create them, and so can an ordinary user if the kernel allows it. Otherwise use sudo.
AS_LAB_USER = $(shell $(RUN)/python -m switchover.lab.capability >/dev/null 2>&1 || echo sudo)

# Otherwise each of the many processes of a test compiles the package again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help compatibility drill studies hitless check-claims jmeter jmeter-versions jmeter-gui influxdb influxdb-for-tests test test-all test-properties test-integration test-one test-unit test-python test-java check hooks evidence proof chaos fuzz grafana-look pictures benchmark scale soak judges lint format dashboards wheel dist site reference lock dependencies clean

help: ## Show this list of targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

drill: $(VENV)/drill ## Run a real failover drill in the lab (ARGS="--fault node-down": options of switchover drill)
	$(AS_LAB_USER) $(RUN)/switchover drill $(ARGS)

studies: $(VENV)/drill jmeter ## Repeat the published experiments with short runs, each in minutes (ARGS=--fraction: longer runs; runs/study-NAME-fraction/NAME.* are the files for docs/studies)
	@tools/install-debian-packages $(STUDY_PACKAGES)
	for study in testplans/studies/*.toml; do $(AS_LAB_USER) $(RUN)/switchover study $$study $(or $(ARGS),--quick) || exit; done

jmeter: $(JMETER)/.plugins ## Install a JMeter with the plugin in build/jmeter

jmeter-versions: $(OLDER_JMETERS:%=$(JMETER)-%/.plugins) ## Install the older JMeter versions for the tests, such as build/jmeter-5.5

jmeter-gui: jmeter ## Open the JMeter of build/jmeter with the test plan of a drill
	$(JMETER)/bin/jmeter -t testplans/jmeter/drill.jmx $(ARGS)

influxdb: ## Build InfluxDB 1.8 and 2.7 for the tests in build/influxdb (1.8: a minute; 2.7: four to ten minutes, needs cargo)
	@tools/install-influxdb $(INFLUXDB_1) $(INFLUXDB_2)

# The build of 2.7 takes too long for every test run. If 1.8 cannot be installed, the other tests still run. The closing
# lines of the tests print the available versions.
influxdb-for-tests:
	-@tools/install-influxdb $(INFLUXDB_1)
	@tools/install-influxdb --if-kept $(INFLUXDB_2)

test: $(VENV)/test jmeter influxdb-for-tests ## Run the unit tests of both languages and the most important real drills (8 minutes after the set-up)
	@tools/gate $(AS_LAB_USER)

test-all: test test-properties test-integration ## Run all tests except the long checks of make proof

test-properties: $(VENV)/test ## Run the property tests with all examples; make test runs them with few examples
	HYPOTHESIS_PROFILE=all $(RUN)/pytest -n 2 --dist worksteal -m "hypothesis and not integration" $(ARGS)

test-integration: $(VENV)/test jmeter jmeter-versions influxdb-for-tests ## Run the tests with real servers and drills that make test omits
	failed=0; \
	$(AS_LAB_USER) $(RUN)/pytest -n 2 --dist loadfile -m "beside and not core" || failed=1; \
	$(AS_LAB_USER) $(RUN)/pytest -m "integration and not beside and not core and not long" || failed=1; \
	exit $$failed

test-python: $(VENV)/test jmeter ## Run Python tests (ARGS="src/test/python/unit/faults -x": the tests to run)
	$(AS_LAB_USER) $(RUN)/pytest $(ARGS)

test-one: $(VENV)/test ## Run one test of either language (TEST=src/test/python/unit/http/test_answer.py, or TEST=OutageTest)
	@case "$(TEST)" in \
	"") echo "make test-one: name a test: TEST=src/test/python/unit/model/test_units.py::test_name, or TEST=OutageTest" >&2; exit 2;; \
	src/test/python/integration/*) $(MAKE) --no-print-directory jmeter && $(AS_LAB_USER) $(RUN)/pytest "$(TEST)" $(ARGS);; \
	src/*) $(RUN)/pytest "$(TEST)" $(ARGS);; \
	*) $(MAKE) --no-print-directory .java-packages && mvn -B -ntp -q test -Dtest="$(TEST)" $(ARGS);; \
	esac

test-unit: $(VENV)/test ## Run the Python tests that need no lab, in minutes
	$(RUN)/pytest -n 2 --dist worksteal -m "not integration" $(ARGS)

test-java: jmeter ## Run the Java tests and the style check of the Java code
	mvn -B -ntp verify

check: $(VENV)/test ## Check style, types, imports and the unit tests of the changed packages, in under a minute
	@tools/check $(RUN)

hooks: ## Make git run make check before each commit (git commit --no-verify skips it)
	git config core.hooksPath tools/hooks

compatibility: ## Run the unit tests and five drills in new Debian systems, and write the table in docs/install.md (an hour, as root; ARGS=trixie: only this release)
	@tools/compatibility $(or $(ARGS),bookworm trixie sid)

evidence: ## Run the long checks one after the other, and record the runs in docs/proof/evidence.txt (ARGS=chaos: only this check)
	@tools/evidence $(ARGS)

proof: $(VENV)/test jmeter influxdb ## Compare drills with packet captures, with every fault five times (about an hour)
	$(AS_LAB_USER) $(RUN)/pytest -m long
	$(AS_LAB_USER) env PYTHONPATH=src/test/python $(RUN)/python -m proof $(ARGS)
	for machine in "" --busy; do $(AS_LAB_USER) env PYTHONPATH=src/test/python $(RUN)/python -m proof.coverage $$machine || exit; done
	$(AS_LAB_USER) env PYTHONPATH=src/test/python $(RUN)/python -m proof.service_away
	$(AS_LAB_USER) env PYTHONPATH=src/test/python $(RUN)/python -m proof.kept_captures
	$(AS_LAB_USER) env PYTHONPATH=src/test/python $(RUN)/python -m proof.make_drills
	$(AS_LAB_USER) env PYTHONPATH=src/test/python $(RUN)/python -m proof.make_drills --busy --drills 20
	$(AS_LAB_USER) env PYTHONPATH=src/test/python $(RUN)/python -m proof.make_drills --overloaded --drills 40
	$(AS_LAB_USER) env PYTHONPATH=src/test/python $(RUN)/python -m proof.loaded_drills
	$(AS_LAB_USER) env PYTHONPATH=src/test/python $(RUN)/python -m proof.both_generators
	$(AS_LAB_USER) env PYTHONPATH=src/test/python $(RUN)/python -m proof.captured_changes
	$(AS_LAB_USER) env PYTHONPATH=src/test/python $(RUN)/python -m proof.lost_captures
	$(AS_LAB_USER) env PYTHONPATH=src/test/python $(RUN)/python -m proof.retrying_clients
	$(AS_LAB_USER) env PYTHONPATH=src/test/python $(RUN)/python -m proof.reload_promises
	env PYTHONPATH=src/test/python $(RUN)/python -m proof.streaming

chaos: $(VENV)/test jmeter influxdb-for-tests ## Run 20 new drills with random failures of their environment (15 minutes; ARGS=17: repeat case 17)
	@tools/install-debian-packages gcc libc6-dev
	$(AS_LAB_USER) env PYTHONPATH=src/test/python $(RUN)/python -m chaos $(ARGS)

fuzz: $(VENV)/test ## Fuzz every parser of foreign input for a minute each (ARGS="sse --seconds 600": only sse, for ten minutes)
	@$(RUN)/pip install --quiet --require-hashes -r requirements/fuzz.txt
	env PYTHONPATH=src/test/python $(RUN)/python -m fuzz $(ARGS)

hitless: $(VENV)/test ## Repeat changes of five balancers and write the table in docs/hitless.md (hours, resumable; ARGS="--minutes 30": at most 30 minutes)
	@tools/install-debian-packages $(STUDY_PACKAGES)
	$(AS_LAB_USER) env PYTHONPATH=src/test/python $(RUN)/python -m proof.hitless $(ARGS)

check-claims: $(VENV)/test ## Generate every table of docs/ from the committed data again, and print the differences
	env PYTHONPATH=src/test/python $(RUN)/python -m proof.check_claims

grafana-look: $(VENV)/test influxdb-for-tests ## Take pictures of every dashboard in a real Grafana, in build/grafana-look (GRAFANA=folder of Grafana; ARGS=live: only names with "live")
	env PYTHONPATH=src/test/python $(RUN)/python -m proof.grafana_look $(GRAFANA) $(ARGS)

pictures: $(VENV)/test jmeter ## Take the pictures in docs/images from real drills again (5 minutes on an idle machine; ARGS=report: only names with "report")
	@tools/install-debian-packages $(TEST_PACKAGES) $(PICTURE_PACKAGES)
	$(AS_LAB_USER) env PYTHONPATH=src/test/python $(RUN)/python -m proof.pictures $(ARGS)

scale: $(VENV)/test jmeter ## Measure the cost of a test at growing sizes, for docs/proof/scale.txt (30 minutes; ARGS=--quick: a short trial, --go-on: resume)
	$(AS_LAB_USER) $(RUN)/python benchmarks/scale.py $(ARGS)

soak: $(VENV)/test influxdb-for-tests ## Run for an hour and check that no resource grows (ARGS=--fast: the work of eight hours in one; ARGS="--minutes 5 --dry": a short trial)
	$(AS_LAB_USER) env PYTHONPATH=src/test/python $(RUN)/python -m proof.soak $(ARGS)

judges: $(VENV)/test jmeter ## Compare other load generators during the same outages (two hours; ARGS="--drills 1 --dry": a short trial, --go-on: resume)
	@tools/install-debian-packages $(TEST_PACKAGES) $(JUDGED_PACKAGES)
	$(AS_LAB_USER) env PYTHONPATH=src/test/python PATH="$$PATH:$$(go env GOPATH 2>/dev/null)/bin" $(RUN)/python benchmarks/judges.py $(ARGS)
	$(AS_LAB_USER) env PYTHONPATH=src/test/python PATH="$$PATH:$$(go env GOPATH 2>/dev/null)/bin" $(RUN)/python benchmarks/judges_asked.py

benchmark: $(VENV)/test jmeter influxdb-for-tests ## Measure the cost of the prober, the plugins and streaming (over an hour; ARGS=--quick: a few minutes)
	missed=0; for tool in prober connections; do $(RUN)/python benchmarks/$$tool.py || missed=1; done; \
	$(AS_LAB_USER) $(RUN)/python benchmarks/prober_in_drill.py || missed=1; \
	for tool in locust jmeter streaming size; do $(RUN)/python benchmarks/$$tool.py $(ARGS) || missed=1; done; exit $$missed

lint: $(VENV)/test .java-packages ## Check style, types, generated pages, English and imports of both languages
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy
	$(RUN)/lint-imports --no-cache
	$(RUN)/python tools/make-reference --check
	$(RUN)/python tools/check-english
	mvn -B -ntp -q spotless:check
	mvn -B -ntp -q test -Dtest=RoomsTest

format: $(VENV)/test .java-packages ## Format the code of both languages
	$(RUN)/ruff check --fix .
	$(RUN)/ruff format .
	mvn -B -ntp -q spotless:apply

dashboards: $(VENV)/test ## Generate the JSON of the Grafana dashboards
	$(RUN)/python -m dashboards

wheel: ## Build the Python wheel in dist/, in seconds, without Java
	@tools/install-debian-packages python3-venv
	@[ -x build/wheel/bin/pip ] || $(PYTHON) -m venv build/wheel
	build/wheel/bin/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

dist: $(VENV)/test .java-packages ## Build the files of a release in dist/: wheel, sdist, jar with sources, Javadoc and SBOM, checksums
	$(RUN)/python tools/make-dist dist

site: $(VENV)/test ## Build the documentation as HTML in build/html; fails if a link is broken
	$(RUN)/python tools/make-site build/html

reference: $(VENV)/test ## Generate the reference parts of the pages in docs/
	$(RUN)/python tools/make-reference

lock: $(VENV)/test ## Pin the newest allowed versions of the Python packages, with hashes
	$(RUN)/pip install --quiet uv
	$(RUN)/uv pip compile -q --universal --generate-hashes --no-header --python-version 3.11 --extra build --extra locust --extra connections pyproject.toml -o requirements/drill.txt
	$(RUN)/uv pip compile -q --universal --generate-hashes --no-header --python-version 3.11 --extra dev pyproject.toml -o requirements/test.txt
	$(RUN)/uv pip compile -q --universal --generate-hashes --no-header --no-annotate --python-version 3.11 --extra fuzz -c requirements/test.txt pyproject.toml -o requirements/fuzz.txt

dependencies: jmeter ## List the pinned packages with their dates in docs/dependencies.csv
	tools/list-dependencies

clean: ## Remove all files that the other targets created, except runs/
	rm -rf $(VENV) target build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .java-packages
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/drill: requirements/drill.txt pyproject.toml
	@tools/install-debian-packages $(LAB_PACKAGES)
	@tools/make-venv $(PYTHON) $(VENV) requirements/drill.txt
	@touch $@

$(VENV)/test: requirements/test.txt pyproject.toml
	@tools/install-debian-packages $(TEST_PACKAGES)
	@tools/make-venv $(PYTHON) $(VENV) requirements/test.txt
	@touch $@ $(VENV)/drill

# A Java that can show windows, and a virtual screen for the windows of the tests.
.java-packages: Makefile
	@command -v mvn >/dev/null && command -v Xvfb >/dev/null && \
		ls "$$(dirname "$$(readlink -f "$$(command -v javac)")")/../lib/libawt_xawt.so" >/dev/null 2>&1 || \
		tools/install-debian-packages $(JAVA_PACKAGES)
	@touch $@

$(JMETER)/.assembled: tools/jmeter/pom.xml tools/jmeter/user.properties $(wildcard tools/jmeter/bin/*) | .java-packages
	@echo "Assembling JMeter in $(JMETER)"
	@rm -rf $(JMETER)
	@mkdir -p $(JMETER)/lib/ext $(JMETER)/lib/junit
	@mvn -B -ntp -q -f tools/jmeter/pom.xml package
	@cat tools/jmeter/user.properties >> $(JMETER)/bin/user.properties
	@cp tools/jmeter/bin/* $(JMETER)/bin/
	@touch $@

$(JMETER)/.plugins: $(JMETER)/.assembled pom.xml LICENSE $(shell find jmeter-plugins/src) $(wildcard locust-plugins/switchover/tables/*) $(wildcard testplans/jmeter/*)
	@echo "Building the plugins into $(JMETER)/lib/ext"
	@rm -f target/jmeter-switchover-*.jar $(JMETER)/lib/ext/jmeter-switchover-*.jar
	@mvn -B -ntp -q package -Dmaven.test.skip
	@cp target/jmeter-switchover-*.jar $(JMETER)/lib/ext/
	@mkdir -p $(JMETER)/bin/templates/switchover
	@cp testplans/jmeter/* $(JMETER)/bin/templates/switchover/
	@touch $@

# The older JMeters contain only the plugins, because the tests need nothing else.
.PRECIOUS: $(JMETER)-%/.assembled
$(JMETER)-%/.assembled: tools/jmeter/pom.xml | .java-packages
	@echo "Assembling JMeter $* in $(@D)"
	@rm -rf $(@D)
	@mkdir -p $(@D)/lib/ext $(@D)/lib/junit
	@mvn -B -ntp -q -f tools/jmeter/pom.xml -Djmeter.version=$* -Dhome=$(CURDIR)/$(@D) package
	@touch $@

$(JMETER)-%/.plugins: $(JMETER)-%/.assembled $(JMETER)/.plugins
	@rm -f $(@D)/lib/ext/jmeter-switchover-*.jar
	@cp $(JMETER)/lib/ext/jmeter-switchover-*.jar $(@D)/lib/ext/
	@touch $@
