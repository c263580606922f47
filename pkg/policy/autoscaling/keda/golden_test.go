// SPDX-License-Identifier: Apache-2.0

package keda_test

import (
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/internal/testing/realcode"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/keda"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// A story is one ScaledObject, created at 0, and what KEDA did at each poll. Triggers are asked
// after the request.
type story struct {
	Spec     keda.Spec
	Min, Max int32
	Polls    []struct {
		At             simtime.Time
		Replicas       int32
		Active, Failed bool
		Want           keda.PollResult
		Trigger        int
		Target         keda.Target
		Answer         keda.Answer
		Observed       hpa.Observation
	}
}

func TestKEDADecidesTheSame(t *testing.T) {
	for _, file := range []string{"stories", "annotations"} {
		stories := readStories[story](t, file)
		same, polls := 0, 0
		for i, s := range stories {
			if polls += len(s.Polls); compareStory(t, i, &s) {
				same++
			}
		}
		t.Logf("%s: the same in %d of %d stories, with %d polls", file, same, len(stories), polls)
	}
}

// compareStory plays a story up to the first difference, and reports whether there is none.
func compareStory(t *testing.T, i int, s *story) bool {
	if made, _ := keda.Convert(s.Spec); made.Min != s.Min || made.Max != s.Max {
		t.Errorf("story %d: the autoscaler has %d to %d replicas, want %d to %d", i, made.Min, made.Max, s.Min, s.Max)
		return false
	}
	scaler := keda.New(s.Spec, 0)
	for n, poll := range s.Polls {
		got := scaler.Request(poll.At, poll.Replicas, poll.Active, poll.Failed)
		if diff := cmp.Diff(poll.Want, got); diff != "" {
			t.Errorf("story %d, poll %d (-KEDA +here):\n%s", i, n, diff)
			return false
		}
		seen := scaler.Observe(poll.Trigger, poll.Target, poll.Answer)
		if diff := cmp.Diff(poll.Observed, seen, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("story %d, observation %d (-KEDA +here):\n%s", i, n, diff)
			return false
		}
	}
	return true
}

// readStories reads what the program in test/keda wrote.
func readStories[T any](t *testing.T, name string) []T {
	t.Helper()
	var all []T
	for lines := json.NewDecoder(realcode.Unzip(t, "testdata/"+name+".json.gz")); ; {
		var s T
		switch err := lines.Decode(&s); {
		case errors.Is(err, io.EOF) && len(all) >= 100:
			return all
		case err != nil:
			t.Fatalf("%s: story %d: %v", name, len(all), err)
		}
		all = append(all, s)
	}
}
