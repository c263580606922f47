#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

usage() {
  cat <<EOF
usage: hack/rollouts.sh

Builds the controllers of Argo Rollouts and of Flagger from their Go modules, for
the tests of test/rollouts, and prints the folder that holds them and their CRDs.
What is already built is not built again. The first time takes about eight minutes
of one core, and Go downloads the toolchain that Argo Rollouts asks for.

environment
  WINDTUNNEL_ROLLOUTS_DIR  where to build (default: a folder by version below
                           \${XDG_CACHE_HOME:-~/.cache}/windtunnel/rollouts)
EOF
}

case ${1:-} in
  -h | --help)
    usage
    exit 0
    ;;
esac

cache=${XDG_CACHE_HOME:-$HOME/.cache}/windtunnel/rollouts
export CGO_ENABLED=0 GOTOOLCHAIN=local

# source_of downloads a module and prints its folder. The digest is that of go.sum.
source_of() {
  local module=$1 sum=$2 answer
  answer=$(cd / && go mod download -json "$module")
  if [[ $(jq -r .Sum <<<"$answer") != "$sum" ]]; then
    echo "rollouts: $module does not have the digest $sum" >&2
    return 1
  fi
  jq -r .Dir <<<"$answer"
}

# build builds a program from a module, with the requirements of that module.
build() {
  local module=$1 sum=$2 package=$3 crds=$4 source name=${3##*/}
  [[ -x $dir/$name ]] && return
  source=$(source_of "$module" "$sum")
  echo "rollouts: building $name from $module (minutes when the Go cache is cold)" >&2
  # A small machine has no memory for more than one compiler at once.
  go build -C "$source" -p 1 -trimpath -o "$dir/.partial" "$package" >&2
  mkdir -p "$dir/crds/$name"
  cp "$source"/$crds "$dir/crds/$name"
  chmod -R u+w "$dir/crds"
  mv "$dir/.partial" "$dir/$name"
}

argo=v1.10.2
flagger=v1.36.1
dir=${WINDTUNNEL_ROLLOUTS_DIR:-$cache/argo-$argo-flagger-$flagger}
mkdir -p "$dir"
build "github.com/fluxcd/flagger@$flagger" h1:X2PumtNwZz9YSGaOtZLFm2zAKLgHhFkbNv8beg7ifyc= ./cmd/flagger 'artifacts/flagger/crd.yaml'
GOTOOLCHAIN=go1.26.10 build "github.com/argoproj/argo-rollouts@$argo" h1:sEPWsY+HUvnXj3Vh0ejb+GDTceQ/palqhFo2FVQJMk0= ./cmd/rollouts-controller 'manifests/crds/*-crd.yaml'
echo "$dir"
