# One function per suite; each leaves JUnit reports NAME-*.xml in $results. Sourced by dev/test.
# shellcheck shell=bash

python=/usr/bin/python3

# What is there already takes seconds.
prepare() {
  step "set up"
  "$root/dev/setup"
}

build() {
  local preset=$1
  shift
  cmake --preset "$preset" >"$results/cmake.log" 2>&1 || { cat "$results/cmake.log" >&2; return 1; }
  cmake --build "build/$preset" "$@" >"$results/build.log" 2>&1 || { grep -E 'FAILED|error' -A 5 "$results/build.log" | head -n 60 >&2; return 1; }
}

# catch2 SUITE PROGRAM [FILTER…]: its report counts each test case.
catch2() {
  local suite=$1 program=$2 report result=0
  report=$results/$suite-$(basename "$program")
  shift 2
  "$program" "$@" --reporter "junit::out=$report.xml" --reporter compact || result=$?
  [ "$result" = 0 ] || [ "${CI:-}" != true ] || once_more "$program" "$report"
  return "$result"
}

# once_more PROGRAM REPORT: the few tests that failed, alone. The end of the run names those that pass then: they are not sound, but no reason
# to refuse a change.
once_more() {
  "$1" --list-tests --verbosity quiet | $python "$root/dev/test.d/failed.py" "$2.xml" >"$2.names"
  [ ! -s "$2.names" ] || "$1" --input-file "$2.names" --reporter "junit::out=$2.again.xml" --reporter compact || true
}

# In a subshell of its own, so that a check that fails is a test that fails and not the end.
suite_check() {
  $python -m pytest -q -p no:cacheprovider "$root/tests/check" --junit-xml "$results/check-pytest.xml"
}

suite_unit() { build dev && catch2 unit build/dev/bin/pgc_unit_tests; }

suite_asan() {
  build asan --target pgc_unit_tests &&
    ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1 \
      catch2 asan build/asan/bin/pgc_unit_tests
}

# What has threads of its own: shared/kube, shared/observe and the operator.
suite_tsan() {
  build tsan --target pgc_loop_tests &&
    TSAN_OPTIONS=second_deadlock_stack=1 catch2 tsan build/tsan/bin/pgc_loop_tests -# '~[#convergence_test]~[#shapes_test]'
}

suite_fuzz() {
  local since=$SECONDS
  build fuzz --target pgc_fuzz || return 1
  log "    built in $(elapsed "$since")"
  $python tests/fuzz/run.py --bin build/fuzz/bin --corpus "$(pgc_cache)/fuzz" --crashes build/fuzz/crashes \
    --seconds "$([ -n "$PGC_TEST_FULL" ] && echo 300 || echo 30)" --jobs "$(nproc)" --junit "$results/fuzz-libfuzzer.xml"
}

# The Catch2 filter for the test files of a folder.
tests_under() { find "$root/$1" -name '*_test.cpp' -printf '[#%f],' | sed 's/\.cpp\]/]/g'; }

suite_schema() {
  build dev --target pgc_unit_tests pgc-agreement && catch2 schema build/dev/bin/pgc_unit_tests -# "$(tests_under tests/unit/shared/schema)"
  agreement schema
}

suite_agreement() { build dev --target pgc-agreement && agreement agreement; }

# agreement SUITE: made-up objects of our CRD and of other projects' to an API server of its own and to the engine.
agreement() {
  local suite=$1 crds seed count=2000 result=0
  # Every full run makes up other objects; its output tells the seed.
  seed=1
  if [ -n "${PGC_TEST_FULL:-}" ]; then count=25000 seed=$(date +%s); fi
  crds=$("$root/tests/agreement/fetch-crds") && "$root/dev/cluster" up --control-plane-only --name pgc-agreement || return 1
  KUBECONFIG=$("$root/dev/cluster" kubeconfig --name pgc-agreement) build/dev/bin/pgc-agreement \
    --crds "$crds" --count "$count" --seed "$seed" --junit "$results/$suite-agreement.xml" || result=$?
  "$root/dev/cluster" down --name pgc-agreement
  return "$result"
}

suite_webhook() {
  build dev && catch2 webhook build/dev/bin/pgc_unit_tests '[webhook]'
  api webhook '[webhook]'
}

suite_kube() {
  build dev && catch2 kube build/dev/bin/pgc_unit_tests -# "$(tests_under tests/unit/shared/kube)$(tests_under tests/unit/operator)"
  api kube '[kube]'
}

suite_api() { build dev && api api; }

# api SUITE [FILTER…]: an API server of its own, gone afterwards.
api() {
  local suite=$1 result=0
  shift
  "$root/dev/cluster" up --control-plane-only --name pgc-test || return 1
  KUBECONFIG=$("$root/dev/cluster" kubeconfig --name pgc-test) PGC_BIN=$root/build/dev/bin \
    PGC_KUBECTL="$root/dev/cluster kubectl --name pgc-test --" catch2 "$suite" build/dev/bin/pgc_apiserver_tests "$@" || result=$?
  "$root/dev/cluster" down --name pgc-test
  return "$result"
}

# What can be had in memory comes first, and what holds the memory to the real thing.
suite_faults() {
  local result=0
  build dev --target pgc-operator pgc_fault_tests pgc_contract_tests || return 1
  catch2 faults build/dev/bin/pgc_fault_tests || result=1
  contract || result=1
  faults_at_a_real_server || result=1
  return "$result"
}

# Programmes of a thousand random calls to the in-memory API server and to a real one, gone afterwards.
contract() {
  local result=0 programmes=5 seed=1
  if [ -n "${PGC_TEST_FULL:-}" ]; then programmes=50 seed=$(date +%s); fi
  "$root/dev/cluster" up --control-plane-only --name pgc-contract || return 1
  KUBECONFIG=$("$root/dev/cluster" kubeconfig --name pgc-contract) PGC_CONTRACT_PROGRAMMES=$programmes PGC_CONTRACT_SEED=$seed \
    catch2 faults build/dev/bin/pgc_contract_tests || result=$?
  "$root/dev/cluster" down --name pgc-contract
  return "$result"
}

# The real operator, the fault proxy (tests/faults/apiproxy) and a control plane of its own, gone afterwards.
faults_at_a_real_server() {
  local result=0
  export PGC_CLUSTER=pgc-faults
  PGC_BIN=$root/build/dev/bin $python -m pytest -q -rA -p no:cacheprovider "$root/tests/faults" --junit-xml "$results/faults-pytest.xml" || result=$?
  "$root/dev/cluster" down --name "$PGC_CLUSTER"
  return "$result"
}

# In a local Kubernetes of its own, gone afterwards.
suite_e2e() {
  local result=0
  build musl --target kubectl-pgc pgc-operator pgc-webhook pgc-agent && "$root/dev/images" build || return 1
  export PGC_CLUSTER=pgc-e2e
  $python -m pytest -q -p no:cacheprovider "$root/tests/e2e" --junit-xml "$results/e2e-pytest.xml" || result=$?
  "$root/dev/cluster" down --name "$PGC_CLUSTER"
  return "$result"
}

# Our reading of parameters against real servers of each major, out of our own image.
suite_parameters() {
  build dev --target pgc_parameter_verdict &&
    PGC_BIN=$root/build/dev/bin $python -m pytest -q -p no:cacheprovider "$root/tests/parameters" --junit-xml "$results/parameters-pytest.xml"
}

suite_bench() {
  local webhook=(--alone --seconds 0.5 --rounds 1) loop=(--alone --clusters 30 --seconds 3)
  if [ -n "$PGC_TEST_FULL" ]; then webhook=() loop=(); fi
  bench/webhook "${webhook[@]}" --junit "$results/bench-webhook.xml"
  bench/loop "${loop[@]}" --junit "$results/bench-loop.xml"
}
