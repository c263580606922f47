#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

usage() {
  cat <<'EOF'
usage: hack/kueue/install.sh

Builds Kueue from the Go module that hack/kueue pins, loads its image into the
cluster that bin/cluster serves, installs Kueue there, and waits until it is ready.
EOF
}

case ${1:-} in
  "") ;;
  -h | --help)
    usage
    exit 0
    ;;
  *)
    usage >&2
    exit 2
    ;;
esac

cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT

CGO_ENABLED=0 GOFLAGS= go build -C hack/kueue -trimpath -ldflags='-s -w' -o "$work/kueue" sigs.k8s.io/kueue/cmd/kueue
go run -C hack/image . -binary "$work/kueue" -entrypoint /manager -tag kueue:e2e -output "$work/kueue.tar"
bin/cluster load-image "$work/kueue.tar"

# Kustomize reads no folder outside of its own.
module=$(go list -C hack/kueue -m -f '{{.Dir}}' sigs.k8s.io/kueue)
cp -r "$module/config" hack/kueue/*.yaml "$work"
chmod -R u+w "$work"
go tool -modfile=hack/tools/go.mod kustomize build "$work" | kubectl apply --server-side -f -
kubectl -n kueue-system rollout status deployment/kueue-controller-manager --timeout=5m
