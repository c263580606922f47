#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

usage() {
  cat <<'EOF'
usage: hack/kube-assets.sh [BINARY...]

Builds Kubernetes binaries from the Go modules pinned in hack/kube and prints
the folder that holds them. What is already built is not built again.

BINARY   any of: etcd kube-apiserver kubectl
         (default: etcd kube-apiserver, which is what the tests need)

environment
  KUBEBUILDER_ASSETS   a folder of binaries of your own: printed as it is,
                       nothing is built
  WINDTUNNEL_KUBE_DIR  where to build (default:
                       ${XDG_CACHE_HOME:-~/.cache}/windtunnel/kube/VERSION-OS-ARCH)
EOF
}

log() { echo "kube-assets: $*" >&2; }

die() {
  log "$*"
  exit 1
}

package_of() {
  case $1 in
    etcd) echo go.etcd.io/etcd/server/v3 ;;
    kube-apiserver | kubectl) echo "k8s.io/kubernetes/cmd/$1" ;;
    *) die "unknown binary \"$1\": it must be one of etcd, kube-apiserver, kubectl" ;;
  esac
}

build() {
  local name=$1 package start=$SECONDS
  package=$(package_of "$name")
  log "building $name from $package (minutes when the Go cache is cold)"
  # A binary appears under its name only when it is whole: an interrupted build
  # is never taken for a finished one.
  go build -C "$module" -trimpath -ldflags "$ldflags" -o "$partial" "$package" >&2 ||
    die "build of $package failed"
  mv "$partial" "$dir/$name"
  log "built $name in $((SECONDS - start)) s"
}

case ${1:-} in
  -h | --help)
    usage
    exit 0
    ;;
esac

binaries=(etcd kube-apiserver)
[[ $# -eq 0 ]] || binaries=("$@")
for name in "${binaries[@]}"; do
  package_of "$name" >/dev/null
done

if [[ -n ${KUBEBUILDER_ASSETS:-} ]]; then
  echo "$KUBEBUILDER_ASSETS"
  exit 0
fi

module=$(cd "$(dirname "${BASH_SOURCE[0]}")/kube" && pwd)
version=$(go list -C "$module" -m -f '{{.Version}}' k8s.io/kubernetes)
dir=${WINDTUNNEL_KUBE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/windtunnel/kube/$version-$(go env GOOS)-$(go env GOARCH)}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
partial=$dir/.partial.$$
trap 'rm -f "$partial"' EXIT

# Without its version a Kubernetes binary calls itself v0.0.0.
IFS=. read -r major minor _ <<<"${version#v}"
component=k8s.io/component-base/version
ldflags="-s -w -X $component.gitVersion=$version -X $component.gitMajor=$major -X $component.gitMinor=$minor"
export CGO_ENABLED=0

# Two callers at once would each build the same thing. Where there is no flock
# they do, and the renames still leave whole binaries.
exec 9>"$dir/.lock"
if command -v flock >/dev/null; then
  flock 9
fi

for name in "${binaries[@]}"; do
  [[ -x $dir/$name ]] || build "$name"
done
echo "$dir"
