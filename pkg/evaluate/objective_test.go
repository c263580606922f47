// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/result"
)

func TestParseObjective(t *testing.T) {
	for text, want := range map[string]Objective{
		"goodput":                          {Metric: "goodput", Weight: 1},
		"goodput=2":                        {Metric: "goodput", Weight: 2},
		"ttft.p99,target=500ms":            {Metric: "ttft.p99", Weight: 1, Target: "500ms"},
		"mine=0.5,min,target=3":            {Metric: "mine", Weight: 0.5, Direction: result.Minimize, Target: "3"},
		"ttft.p99{class=a,tenant=b}":       {Metric: "ttft.p99{class=a,tenant=b}", Weight: 1},
		"e2e.mean{class=a}=3,max,target=9": {Metric: "e2e.mean{class=a}", Weight: 3, Direction: result.Maximize, Target: "9"},
	} {
		got, err := ParseObjective(text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
	}
	for _, text := range []string{"goodput=0", "goodput=-1", "goodput=x", "goodput=NaN", "goodput=1e300", "goodput,up", "goodput,min,max", "goodput,target=", "goodput,target=1,target=2"} {
		if o, err := ParseObjective(text); err == nil {
			t.Errorf("%s: %+v", text, o)
		}
	}
}

func TestScores(t *testing.T) {
	const less, more = result.Minimize, result.Maximize
	for name, tc := range map[string]struct {
		direction result.Direction
		target    *float64
		value     float64
		want      float64
	}{
		"a share":                             {more, nil, 0.8, 0.8},
		"a share of which less is better":     {less, nil, 0.2, 0.8},
		"a derived share above 1":             {more, nil, 1.5, 1},
		"a latency within its target":         {less, new(0.5), 0.2, 1},
		"a latency of twice its target":       {less, new(0.5), 1, 0.5},
		"a rate of half its target":           {more, new(10.0), 5, 0.5},
		"a rate above its target":             {more, new(10.0), 50, 1},
		"no rate":                             {more, new(10.0), 0, 0},
		"at most 0, and more":                 {less, new(0.0), 3, 0},
		"at most 0, and 0":                    {less, new(0.0), 0, 1},
		"a negative number that is too small": {more, new(-1.0), -2, 0},
	} {
		g := Goal{Direction: tc.direction, Target: tc.target}
		if got := g.score(tc.value); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}
