#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

usage() {
  cat <<'EOF'
usage: hack/fuzz.sh [FUZZTIME]

Runs every fuzz target of the module, one after the other, for FUZZTIME each
(a duration, or a count such as 1000x; default: 20s). An input that fails is
written into testdata/fuzz of its package: commit it with the fix.
EOF
}

case ${1:-} in
  -h | --help)
    usage
    exit 0
    ;;
esac

cd "$(dirname "${BASH_SOURCE[0]}")/.."
fuzztime=${1:-20s}

targets=$(
  go list -f '{{$dir := .Dir}}{{range .TestGoFiles}}{{$dir}}/{{.}}
{{end}}{{range .XTestGoFiles}}{{$dir}}/{{.}}
{{end}}' ./... | xargs awk '/^func Fuzz/ { sub(/\(.*/, "", $2); print FILENAME ":" $2 }'
)
if [[ -z $targets ]]; then
  echo "fuzz: no fuzz targets" >&2
  exit 0
fi

failed=()
while IFS=: read -r file name; do
  echo "fuzz: $name in ${file#"$PWD"/} for $fuzztime" >&2
  go test -run '^$' -fuzz "^$name\$" -fuzztime "$fuzztime" -fuzzminimizetime 5x "$(dirname "$file")" </dev/null || failed+=("$name")
done <<<"$targets"

if ((${#failed[@]})); then
  echo "fuzz: failed: ${failed[*]}" >&2
  exit 1
fi
