#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# Prints the licences of the packages whose code the chart library contains.
set -euo pipefail
cd "$(dirname "$0")/node_modules"
for file in echarts/LICENSE echarts/NOTICE echarts/licenses/* zrender/LICENSE tslib/LICENSE.txt; do
  printf '==== %s\n\n' "$file"
  cat "$file"
  printf '\n'
done
