#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

usage() {
  cat <<'EOF'
usage: hack/verify-tree.sh

Fails if the git tree holds changes that are not committed, or if a CRD is
200 KiB or larger. make verify runs it last, after all that writes files.
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
failed=0

# kubectl apply without --server-side keeps the object in an annotation of at
# most 256 KiB.
limit=204800
for crd in config/crd/bases/*.yaml; do
  size=$(wc -c <"$crd")
  if ((size >= limit)); then
    echo "verify: $crd has $((size)) bytes, want less than $limit: lower CRD_MAX_DESC_LEN in the Makefile" >&2
    failed=1
  fi
done

changes=$(git status --porcelain)
if [[ -n $changes ]]; then
  echo "verify: these files are not committed, or make verify changed them:" >&2
  echo "$changes" >&2
  git --no-pager diff --stat >&2
  failed=1
fi
exit "$failed"
