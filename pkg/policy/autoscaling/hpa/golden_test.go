// SPDX-License-Identifier: Apache-2.0

package hpa_test

import (
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/internal/testing/realcode"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// A story is what one autoscaler saw in some syncs, and what the real controller did.
type story struct {
	Name    string
	Spec    hpa.Spec
	Options hpa.Options
	Syncs   []struct {
		At       simtime.Time
		Scale    hpa.Scale
		Observed []hpa.Observation
		Want     answer
	}
}

// An answer has the reasons of the conditions after a sync, be they of an earlier one.
type answer struct {
	Replicas              int32
	Rescale               bool
	Able, Active, Limited hpa.Reason
	Proposals             []hpa.Proposal
	Chosen                int
}

func TestTheRealControllerDecidesTheSame(t *testing.T) {
	for file, least := range map[string]int{"states.json.gz": 1000, "stories.json.gz": 50} {
		t.Run(file, func(t *testing.T) {
			stories := readStories(t, filepath.Join("testdata", file))
			if len(stories) < least {
				t.Fatalf("%d stories, want at least %d", len(stories), least)
			}
			same, syncs := 0, 0
			for i, s := range stories {
				if syncs += len(s.Syncs); compareStory(t, i, &s) {
					same++
				}
			}
			t.Logf("the same in %d of %d stories, with %d syncs", same, len(stories), syncs)
		})
	}
}

// compareStory plays a story up to the first difference, and reports whether there is none.
func compareStory(t *testing.T, i int, s *story) bool {
	a := hpa.New(s.Spec, s.Options)
	var got answer
	for n, sync := range s.Syncs {
		d := a.Sync(sync.At, sync.Scale, sync.Observed)
		got.Replicas, got.Rescale, got.Proposals, got.Chosen = d.Replicas, d.Rescale, d.Proposals, d.Chosen
		replace(&got.Able, d.Able)
		replace(&got.Active, d.Active)
		replace(&got.Limited, d.Limited)
		if diff := cmp.Diff(sync.Want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("story %d %q, sync %d (-controller +here):\n%s", i, s.Name, n, diff)
			return false
		}
	}
	return true
}

func replace(condition *hpa.Reason, by hpa.Reason) {
	if by != "" {
		*condition = by
	}
}

func readStories(t *testing.T, path string) []story {
	t.Helper()
	var all []story
	for lines := json.NewDecoder(realcode.Unzip(t, path)); ; {
		var s story
		switch err := lines.Decode(&s); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatalf("%s: story %d: %v", path, len(all), err)
		}
		all = append(all, s)
	}
}
