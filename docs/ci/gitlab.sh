#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# usage: gitlab.sh SWEEP.yaml
#
# Judges a merge request by a sweep, in a pipeline of GitLab CI. The report is one note of the merge
# request, which each run writes again. The exit code is that of the sweep.
#
# It needs curl and jq, and WINDTUNNEL_GITLAB_TOKEN: an access token of the project with the scope
# api and the role Reporter, as a masked variable. CI_JOB_TOKEN may not write notes.
set -eu

notes=$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes
marker='<!-- windtunnel -->'

# call asks the API. The token is no argument, which other processes could read.
call() {
  printf 'header = "PRIVATE-TOKEN: %s"\n' "$WINDTUNNEL_GITLAB_TOKEN" |
    curl --silent --show-error --fail --max-time 30 --config - --header 'Content-Type: application/json' "$@"
}

# own prints the number of our note, if there is one.
own() {
  author=$(call "$CI_API_V4_URL/user" | jq .id)
  page=1
  while
    all=$(call "$notes?per_page=100&page=$page")
    id=$(printf %s "$all" | jq -r --arg m "$marker" --argjson a "$author" \
      'map(select(.author.id == $a and (.body | startswith($m))))[0].id // empty')
    [ -z "$id" ] && [ "$(printf %s "$all" | jq length)" -eq 100 ]
  do
    page=$((page + 1))
  done
  echo "$id"
}

rm -f report.md
code=0
windtunnel sweep -f "$1" --report report.md --report-max-characters 65000 || code=$?
[ -f report.md ] || exit "$code"

jq --raw-input --slurp --arg m "$marker" '{body: ($m + "\n" + .)}' report.md >note.json
id=$(own)
if [ -n "$id" ]; then
  call --request PUT --data @note.json "$notes/$id" >answer.json
else
  call --data @note.json "$notes" >answer.json
fi
exit "$code"
