#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

usage() {
  cat <<'EOT'
usage: hack/keda/install.sh

Builds KEDA's operator and its metrics server from the Go module that test/keda
pins, loads their image into the cluster that bin/cluster serves, installs KEDA
there, and waits until it is ready.
EOT
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

keda=github.com/kedacore/keda/v2
export CGO_ENABLED=0 GOFLAGS=
go build -C test/keda -trimpath -ldflags='-s -w' -o "$work/keda" $keda/cmd/operator
go build -C test/keda -trimpath -ldflags='-s -w' -o "$work/keda-adapter" $keda/cmd/adapter
go run -C hack/image . -binary "$work/keda" -binary "$work/keda-adapter" -entrypoint /keda -tag keda:e2e -output "$work/keda.tar"
bin/cluster load-image "$work/keda.tar"

# Kustomize reads no folder outside of its own.
module=$(go list -C test/keda -m -f '{{.Dir}}' $keda)
cp -r "$module/config" hack/keda/kustomization.yaml "$work"
chmod -R u+w "$work"
go tool -modfile=hack/tools/go.mod kustomize build "$work" | kubectl apply --server-side -f -
kubectl -n keda rollout status deployment/keda-operator deployment/keda-metrics-apiserver --timeout=5m
kubectl wait apiservice/v1beta1.external.metrics.k8s.io --for=condition=Available --timeout=5m
