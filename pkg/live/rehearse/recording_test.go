// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/live/load"
	"windtunnel.dev/windtunnel/pkg/live/replicas"
)

// TestARecordingIsComparedAsTheRehearsal records the choices of a simulation, with scrapes that the simulation does
// not have, so that some decisions differ.
func TestARecordingIsComparedAsTheRehearsal(t *testing.T) {
	maker := poisson(t)
	addresses, all := simulated(t, maker)
	live, notes := Recording{Choices: NewChoices(addresses)}, NewNotes(len(addresses), 0)
	live.Choices.Start, live.Choices.Speed = time.Unix(7, 11), 0.5
	for _, o := range all {
		live.Choices.Add(o)
	}
	live.Choices.SetMoments(func(request int) (chosen, ended time.Time) {
		made := all[slices.IndexFunc(all, func(o *load.Outcome) bool { return o.ID == request })]
		return live.Choices.wall(made.Chosen - 1000), live.Choices.wall(made.End.Add(time.Second))
	})
	for i := range addresses {
		notes.Scraped(i, live.Choices.Start.Add(time.Duration(i)*time.Second), &replicas.Metrics{Waiting: i, Running: 8, KVUsage: 0.25, BlockTokens: 16, Blocks: 100})
	}
	live.Scrapes = notes.Scrapes()
	raw := jsontest.Encode(t, &live)
	read := jsontest.Decode[Recording](t, raw)
	if len(read.Scrapes) != len(addresses) {
		t.Errorf("there are %d endpoints, want %d", len(read.Scrapes), len(addresses))
	}
	var compared [2]*Simulated
	for i, r := range []*Recording{&live, &read} {
		var err error
		if compared[i], err = Compare(t.Context(), maker, r.Choices, r.Scrapes); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(compared[0].Differences, compared[1].Differences); diff != "" || compared[0].Decisions != compared[1].Decisions {
		t.Errorf("decisions are %+v, as recorded %+v; differences (−rehearsed +recorded):\n%s", compared[0].Decisions, compared[1].Decisions, diff)
	}
	if compared[0].Decisions.Different == 0 {
		t.Error("no decision differs")
	}
}

func TestWhatIsNoRecording(t *testing.T) {
	for raw, want := range map[string]string{
		`{"speed": 1, "choices": [{"request": 3, "endpoint": 1}], "scrapes": [[]]}`:                          "request 3 went to endpoint 1 of 1",
		`{"speed": 1, "choices": [{"request": 3, "sent": -1}], "scrapes": [[]]}`:                             "request 3 was sent at -1ns and answered at 0s",
		`{"speed": 1, "choices": [{"request": 3, "sent": 5, "answered": 4}], "scrapes": [[]]}`:               "request 3 was sent at 5ns and answered at 4ns",
		`{"speed": 1, "scrapes": [[], [{"blockTokens": 16, "blocks": 1}, {"blockTokens": 0, "blocks": 1}]]}`: "scrape 1 of endpoint 1: no replica shows",
		`{"speed": 1, "scrapes": [[{"blockTokens": 16, "blocks": 1, "kvUsage": 1.5}]]}`:                      "scrape 0 of endpoint 0: no replica shows",
		`{}`: "the speed is 0, must be above 0",
	} {
		if err := json.Unmarshal([]byte(raw), &Recording{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %q", raw, err, want)
		}
	}
}
