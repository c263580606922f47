#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# Gets what tests of pages need: Chromium, and axe-core from npm. Root on Debian installs missing
# packages; others are told which.
set -euo pipefail
cd "$(dirname "$0")/.."

# install gets Debian packages.
install() {
  if ((EUID != 0)) || ! command -v apt-get >/dev/null; then
    echo "tests of pages need: $*" >&2
    return 1
  fi
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# axe gets axe-core.
axe() {
  command -v npm >/dev/null || install npm || return
  npm ci --silent --ignore-scripts --prefix hack/assets
}

command -v chromium >/dev/null || install chromium
if [[ ! -f hack/assets/node_modules/axe-core/axe.min.js ]] && ! axe; then
  echo "there is no axe-core: it looks at no page" >&2
fi
