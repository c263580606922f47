#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

usage() {
  cat <<'EOF'
usage: hack/instructions.sh [-update]

Counts the instructions of four programs with valgrind, and fails if one needs over 3 % more than
hack/instructions/recorded.txt has. A count does not depend on the load of the machine, as a time
does. Root on Debian installs valgrind; without it, nothing is counted.

  version   windtunnel --version
  ten       windtunnel run of ten requests
  trials    windtunnel sweep of 200 points of 50 requests
  r16       the reference workload R, 50,000 requests on 16 replicas

-update records the counts.
EOF
}

case ${1:-} in
  "" | -update) ;;
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
recorded=hack/instructions/recorded.txt
if ! command -v valgrind >/dev/null; then
  if ((EUID != 0)) || ! command -v apt-get >/dev/null ||
    ! { apt-get update -qq && apt-get install -y -qq --no-install-recommends valgrind >/dev/null; }; then
    echo "instructions: there is no valgrind, of Debian's package valgrind: nothing is counted" >&2
    exit 0
  fi
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags='-s -w' -o "$work/windtunnel" ./cmd/windtunnel
CGO_ENABLED=0 go build -C studies -trimpath -buildvcs=false -ldflags='-s -w' -o "$work/bench" ./bench

# count prints the instructions of a program and of those that it starts, in millions. Without the
# collector, whose cycles depend on time, the same program has the same count to within 0.1 %.
count() {
  GOGC=off GOMAXPROCS=1 valgrind --trace-children=yes --tool=cachegrind --cache-sim=no \
    --cachegrind-out-file=/dev/null --log-file="$work/count.%p" "$@" >"$work/output" ||
    { cat "$work/output" >&2; return 1; }
  cat "$work"/count.* | awk '/I *refs:/ { gsub(",", ""); sum += $NF } END { printf "%.1f\n", sum / 1e6; exit !sum }'
  rm "$work"/count.*
}

# record counts a program under a name.
record() {
  local millions
  millions=$(count "${@:2}") || { echo "instructions: $1 was not counted" >&2; exit 1; }
  echo "$1 $millions" >>"$work/counted"
}

record version "$work/windtunnel" --version
record ten "$work/windtunnel" run -f hack/instructions/ten.yaml
record trials "$work/windtunnel" sweep -f hack/instructions/trials.yaml
record r16 "$work/bench" -cases 'R.50000,16' -repeat 1

if [[ ${1:-} == -update ]]; then
  cp "$work/counted" "$recorded"
fi
awk '
  NR == FNR { recorded[$1] = $2; next }
  { more = 100 * ($2 / recorded[$1] - 1); printf "%-8s %8.1f million instructions, %+.1f %%\n", $1, $2, more }
  more > 3 { failed = 1 }
  END { exit failed }' "$recorded" "$work/counted" || {
  echo "instructions: a program needs over 3 % more than recorded; make it faster, or say why in the commit that runs hack/instructions.sh -update" >&2
  exit 1
}
