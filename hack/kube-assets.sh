#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

kube_binaries=(etcd kube-apiserver kube-controller-manager kube-proxy kube-scheduler kubectl kubelet)
runtime_binaries=(containerd containerd-shim-runc-v2 ctr)

usage() {
  cat <<EOF
usage: hack/kube-assets.sh [BINARY...]

Builds Kubernetes binaries from the Go modules pinned in hack/kube and prints
the folder that holds them. What is already built is not built again.

BINARY   any of: ${kube_binaries[*]}
         or any of: ${runtime_binaries[*]}
         (default: etcd kube-apiserver, which is what the tests need); the two
         groups have a folder each, so one call asks for one of them

environment
  KUBEBUILDER_ASSETS   a folder of binaries of your own: printed as it is,
                       nothing is built
  WINDTUNNEL_KUBE_DIR  where to build (default: a folder by version below
                       \${XDG_CACHE_HOME:-~/.cache}/windtunnel/kube)
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
    containerd | containerd-shim-runc-v2 | ctr) echo "github.com/containerd/containerd/v2/cmd/$1" ;;
    *) echo "k8s.io/kubernetes/cmd/$1" ;;
  esac
}

# group_of prints the nested module that pins a binary, below hack.
group_of() {
  case " ${kube_binaries[*]} " in *" $1 "*) echo kube && return ;; esac
  case " ${runtime_binaries[*]} " in *" $1 "*) echo kube/containerd && return ;; esac
  die "unknown binary \"$1\": it must be one of ${kube_binaries[*]} ${runtime_binaries[*]}"
}

# build builds binaries in one call of go, which compiles what they share once and
# links them side by side. Each appears under its name only when all are whole: an
# interrupted build is never taken for a finished one.
build() {
  local start=$SECONDS name packages=()
  for name in "$@"; do packages+=("$(package_of "$name")"); done
  log "building $* ($cost of CPU time when the Go cache is empty; kept in $dir)"
  go build -C "$module" -trimpath -ldflags "$ldflags" -o "$partial/" "${packages[@]}" >&2 ||
    die "the build failed"
  for name in "$@"; do mv "$partial/$(basename "$(package_of "$name" | sed 's|/v[0-9]*$||')")" "$dir/$name"; done
  log "built in $((SECONDS - start)) s"
}

case ${1:-} in
  -h | --help)
    usage
    exit 0
    ;;
esac

binaries=(etcd kube-apiserver)
[[ $# -eq 0 ]] || binaries=("$@")
group=$(group_of "${binaries[0]}")
for name in "${binaries[@]}"; do
  other=$(group_of "$name")
  [[ $other == "$group" ]] || die "${binaries[0]} and $name are built apart: ask for one of them at a time"
done

if [[ -n ${KUBEBUILDER_ASSETS:-} ]]; then
  echo "$KUBEBUILDER_ASSETS"
  exit 0
fi

module=$(cd "$(dirname "${BASH_SOURCE[0]}")/$group" && pwd)
platform=$(go env GOOS)-$(go env GOARCH)
case $group in
  kube)
    version=$(go list -C "$module" -m -f '{{.Version}}' k8s.io/kubernetes)
    folder=$version-$platform cost='9 minutes'
    # Without its version a Kubernetes binary calls itself v0.0.0.
    IFS=. read -r major minor _ <<<"${version#v}"
    component=k8s.io/component-base/version
    ldflags="-s -w -X $component.gitVersion=$version -X $component.gitMajor=$major -X $component.gitMinor=$minor"
    ;;
  kube/containerd)
    version=$(go list -C "$module" -m -f '{{.Version}}' github.com/containerd/containerd/v2)
    folder=containerd-$version-$platform cost='2 minutes'
    ldflags="-s -w -X github.com/containerd/containerd/v2/version.Version=$version"
    ;;
esac
dir=${WINDTUNNEL_KUBE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/windtunnel/kube/$folder}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
partial=$dir/.partial.$$
trap 'rm -rf "$partial"' EXIT

export CGO_ENABLED=0

# Two callers at once would each build the same thing. Where there is no flock
# they do, and the renames still leave whole binaries.
exec 9>"$dir/.lock"
if command -v flock >/dev/null; then
  flock 9
fi

missing=()
for name in "${binaries[@]}"; do
  [[ -x $dir/$name ]] || missing+=("$name")
done
[[ ${#missing[@]} -eq 0 ]] || build "${missing[@]}"
echo "$dir"
