#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# Gets what tests of pages need: Chromium, and axe-core from npm. Root on Debian installs missing
# packages; others are told which.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
for program in chromium npm; do
  command -v "$program" >/dev/null || missing+=("$program")
done
if ((${#missing[@]} > 0)); then
  if ((EUID != 0)) || ! command -v apt-get >/dev/null; then
    echo "tests of pages need: ${missing[*]}" >&2
    exit 1
  fi
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
[[ -f hack/assets/node_modules/axe-core/axe.min.js ]] || npm ci --silent --ignore-scripts --prefix hack/assets
