#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Prints what a checkout of llm-d-router has that Windtunnel does not know: the names of plugin types, and,
# against the checkout of an older commit, fields of plugins and of the configuration, metrics, and flags.
# It compares names only: each line is something to read, and not a fault.
#
# usage: hack/epp-news.sh CHECKOUT [OLDER_CHECKOUT]
set -euo pipefail

router=${1:?usage: hack/epp-news.sh CHECKOUT [OLDER_CHECKOUT]}
older=${2:-}
for checkout in "$router" ${older:+"$older"}; do
  [ -d "$checkout/pkg/epp" ] || { echo "epp-news: $checkout is no checkout of llm-d-router: it has no pkg/epp" >&2; exit 2; }
done
here=$(cd "$(dirname "$0")/.." && pwd)/pkg/policy/epp

# words CHECKOUT PATTERN FOLDER... prints the quoted text in each place that the pattern matches, once. Tests
# and mocks have none.
words() {
  local checkout=$1 pattern=$2
  shift 2
  (cd "$checkout" && find "$@" -name '*.go' ! -name '*_test.go' ! -name '*mock*' -print0 2>/dev/null) |
    (cd "$checkout" && xargs -0 grep -hoE "$pattern") | grep -oE '"[^"]+"' | tr -d '"' | cut -d, -f1 | sort -u
}

echo "plugin types and names that $here has not:"
words "$router" '(Type|Name|Scorer|Filter|Picker|Producer|Policy)[A-Za-z]* *= *"[a-z0-9]+(-[a-z0-9]+)+"' pkg/epp |
  while read -r word; do
    grep -rqF --include='*.go' "\"$word\"" "$here" || echo "  $word"
  done

# since TITLE PATTERN FOLDER... prints what the older checkout has not.
since() {
  echo "$1 that the older checkout has not:"
  comm -23 <(words "$router" "${@:2}") <(words "$older" "${@:2}") | sed 's/^/  /'
}

[ -n "$older" ] || exit 0
since fields 'json:"[A-Za-z][^"]*"' pkg/epp/framework/plugins apix/config
since metrics 'Name: *"[a-z0-9_]+"' pkg/epp pkg/kvcache
since flags '(Var|VarP)\([^"]*"[a-z0-9-]+"' cmd pkg/epp/server
