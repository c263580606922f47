#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# usage: github.sh SWEEP.yaml
#
# Judges a pull request by a sweep, in a workflow of GitHub Actions. The report is one comment of
# the pull request, which each run writes again, and the verdict is a check. The exit code is that
# of the sweep, but 0 for 3, too little evidence: the check says so, and UNDECIDED is its
# conclusion. neutral lets the pull request merge, and action_required does not.
#
# It needs curl and jq, and of the workflow GITHUB_TOKEN, PULL_REQUEST and HEAD_SHA.
set -eu

api=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY
marker='<!-- windtunnel -->'
author=${COMMENT_AUTHOR:-github-actions[bot]}

# call asks the API. The token is no argument, which other processes could read.
call() {
  printf 'header = "Authorization: Bearer %s"\n' "$GITHUB_TOKEN" |
    curl --silent --show-error --fail --max-time 30 --config - --header 'Accept: application/vnd.github+json' "$@"
}

# own prints the number of our comment, if there is one.
own() {
  page=1
  while
    comments=$(call "$api/issues/$PULL_REQUEST/comments?per_page=100&page=$page")
    id=$(printf %s "$comments" | jq -r --arg m "$marker" --arg a "$author" \
      'map(select(.user.login == $a and (.body | startswith($m))))[0].id // empty')
    [ -z "$id" ] && [ "$(printf %s "$comments" | jq length)" -eq 100 ]
  do
    page=$((page + 1))
  done
  echo "$id"
}

rm -f report.md
code=0
windtunnel sweep -f "$1" --report report.md --report-max-characters 65000 || code=$?
case $code in
  0) conclusion=success ;;
  1) conclusion=failure ;;
  3) conclusion=${UNDECIDED:-neutral} ;;
  *) exit "$code" ;;
esac
[ -f report.md ] || exit "$code"

jq --raw-input --slurp --arg m "$marker" '{body: ($m + "\n" + .)}' report.md >comment.json
id=$(own)
if [ -n "$id" ]; then
  call --request PATCH --data @comment.json "$api/issues/comments/$id" >answer.json
else
  call --data @comment.json "$api/issues/$PULL_REQUEST/comments" >answer.json
fi
jq --raw-input --slurp --arg sha "$HEAD_SHA" --arg conclusion "$conclusion" \
  '{name: "windtunnel", head_sha: $sha, status: "completed", conclusion: $conclusion, output: {title: $conclusion, summary: .}}' \
  report.md >check.json
call --data @check.json "$api/check-runs" >answer.json

[ "$code" -eq 3 ] || exit "$code"
