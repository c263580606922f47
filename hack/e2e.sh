#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  cat <<'EOF'
usage: hack/e2e.sh [GO TEST FLAG...]

Builds the image, brings a cluster up, loads the image and runs test/e2e, which
installs the operator with kubectl and uses it. The cluster is torn down at the
end, whatever comes of the tests.

environment
  SUITE       e2e (default); or rollouts: test/rollouts, with Argo Rollouts and
              Flagger, whose first build takes minutes
  CLUSTER     local (default): a cluster of our own on this machine, as root;
              existing: the one that KUBECONFIG names, which stays
  LOAD_IMAGE  with CLUSTER=existing, the command that loads an image archive
              into its nodes, such as "kind load image-archive"
  KUEUE       if set, installs Kueue, too, for the tests of queues; its build
              takes minutes. Those tests run on an existing cluster that has it
  KEDA        if set, installs KEDA, too, for the test of live runs; its first
              build takes minutes, so that CI does not set it
  KEEP        if set, the cluster stays up to be looked at: make cluster-down
  UNFIT       what to do on a machine that cannot run containers: fail (default),
              or skip
EOF
}

case ${1:-} in
  -h | --help)
    usage
    exit 0
    ;;
esac

suite=${SUITE:-e2e}
case $suite in
  e2e) ;;
  rollouts)
    WINDTUNNEL_ROLLOUTS=$(hack/rollouts.sh)
    export WINDTUNNEL_ROLLOUTS
    ;;
  *)
    echo "e2e: SUITE must be e2e or rollouts" >&2
    exit 1
    ;;
esac

# Built, not run through go, so that exit codes and signals arrive.
go build -o bin/cluster ./hack/cluster
check=0
bin/cluster check || check=$?
if [[ $check -ne 0 ]]; then
  if [[ $check -eq 3 && ${UNFIT:-fail} == skip ]]; then
    echo "e2e: SKIPPED, as UNFIT=skip asks: this machine cannot run containers" >&2
    exit 0
  fi
  echo "e2e: the tests need a node (CLUSTER=existing uses one elsewhere, UNFIT=skip goes without)" >&2
  exit 1
fi

output=dist/$suite.log
mkdir -p dist
rm -f "$output"
down() {
  local code=$?
  trap - EXIT
  [[ $code -eq 0 || ${CLUSTER:-local} == existing ]] || bin/cluster logs >&2 || true
  if [[ -n ${KEEP:-} ]]; then
    echo "e2e: the cluster is kept: bin/cluster env, and make cluster-down at the end" >&2
  else
    bin/cluster down || code=1
  fi
  # Last, so that an output whose beginning is cut off still names what failed.
  if [[ $code -ne 0 && -s $output ]]; then
    echo "e2e: the tests that failed, and what tests said ($output has all):" >&2
    grep -E '^ *(--- FAIL|[a-z0-9_]+_test\.go:[0-9]+: [^$])' "$output" | cut -c1-300 | tail -n 60 >&2 || true
  fi
  exit "$code"
}
trap down EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

make build image
bin/cluster up
bin/cluster load-image dist/windtunnel-image.tar
if [[ ${CLUSTER:-local} != existing ]]; then
  eval "$(bin/cluster env)"
fi
if [[ -n ${KUEUE:-} ]]; then
  hack/kueue/install.sh
fi
if [[ -n ${KEDA:-} ]]; then
  hack/keda/install.sh
fi
WINDTUNNEL_E2E=1 go test "./test/$suite" -count 1 -timeout 45m -parallel 4 -v "$@" 2>&1 | tee "$output"
