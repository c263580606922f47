// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/state"
	"windtunnel.dev/windtunnel/pkg/report/dataframe"
	"windtunnel.dev/windtunnel/pkg/result"
)

func TestAStateTellsItsSweepsApart(t *testing.T) {
	row := func(point int, key, value string) state.Line {
		return state.Line{Parameters: []result.Assignment{{Name: "prefix", Value: value}}, Row: result.Row{Key: key, Point: point, Share: 1}}
	}
	byMachine := func(key string, point int) state.Line {
		return state.Line{Row: result.Row{Key: key, Point: point, Share: 1, Error: "out of memory", ByMachine: true}}
	}
	type head struct {
		SchemaVersion string `json:"schemaVersion"`
		state.Owner
	}
	header := func(namespace, sweep, plan string) head {
		return head{SchemaVersion: state.Version, Owner: state.Owner{Namespace: namespace, Sweep: sweep, Plan: plan}}
	}
	for name, tc := range map[string]struct {
		lines []any
		want  map[string]string // object, point and parameters by key
	}{
		"one sweep has no name": {
			[]any{header("n", "a", "1"), row(0, "k", "1"), header("n", "a", "1"), row(1, "l", "2")},
			map[string]string{"k": "0 [prefix=1]", "l": "1 [prefix=2]"},
		},
		"two sweeps": {
			[]any{header("n", "a", "1"), row(0, "k", "1"), header("n", "b", "1"), row(0, "l", "7"), header("n", "a", "1"), row(1, "m", "2")},
			map[string]string{"k": "a 0 [prefix=1]", "l": "b 0 [prefix=7]", "m": "a 1 [prefix=2]"},
		},
		"a sweep that was edited": {
			[]any{header("n", "a", "0123456789"), row(0, "k", "1"), header("n", "a", "abcdefghij"), row(0, "l", "7")},
			map[string]string{"k": "a@01234567 0 [prefix=1]", "l": "a@abcdefgh 0 [prefix=7]"},
		},
		"a row in which the machine decided, and the one that came of it": {
			[]any{header("n", "a", "1"), byMachine("k", 0), byMachine("l", 1), row(0, "k", "1")},
			map[string]string{"k": "0 [prefix=1]", "l": "1 [] out of memory"},
		},
		"one name in two namespaces": {
			[]any{header("n", "a", "1"), row(0, "k", "1"), header("m", "a", "1"), row(0, "l", "7")},
			map[string]string{"k": "n/a 0 [prefix=1]", "l": "m/a 0 [prefix=7]"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var raw bytes.Buffer
			for _, line := range tc.lines {
				if err := json.NewEncoder(&raw).Encode(line); err != nil {
					t.Fatal(err)
				}
			}
			set, err := readState("state", raw.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, r := range set.Rows {
				if before, again := got[r.Key]; again {
					t.Errorf("two rows of %s: %s", r.Key, before)
				}
				got[r.Key] = strings.TrimSpace(fmt.Sprint(r.Object, " ", r.Point, " ", set.Parameters[dataframe.PointNameOf(&r)], " ", r.Error))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(−want +got):\n%s", diff)
			}
		})
	}
}
