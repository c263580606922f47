#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

usage() {
  cat <<'EOF'
usage: hack/verify-tree.sh

Fails if the git tree holds changes that are not committed, or a file of more than
1 MiB, such as a binary. make verify runs it last, after all that writes files.
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

cd "$(dirname "${BASH_SOURCE[0]}")/.."
changes=$(git status --porcelain)
if [[ -n $changes ]]; then
  echo "verify: these files are not committed, or make verify changed them:" >&2
  echo "$changes" >&2
  git --no-pager diff --stat >&2
  exit 1
fi

large=$(git ls-tree -r -l HEAD | awk '$4 > 1048576 { print $4, $5 }')
if [[ -n $large ]]; then
  echo "verify: these files have more than 1 MiB:" >&2
  echo "$large" >&2
  exit 1
fi
