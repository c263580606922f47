#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# Gets a C compiler for WebAssembly, for the test of the page on the ABI. Root on Debian installs it; without
# it, that test is skipped.
set -euo pipefail

if ! command -v clang >/dev/null || ! command -v wasm-ld >/dev/null; then
  if ((EUID != 0)) || ! command -v apt-get >/dev/null; then
    echo "there is no clang or no wasm-ld, of Debian's packages clang and lld: a test is skipped" >&2
    exit 0
  fi
  apt-get update -qq && apt-get install -y -qq --no-install-recommends clang lld >/dev/null ||
    echo "clang and lld cannot be installed: a test is skipped" >&2
fi
