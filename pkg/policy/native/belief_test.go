// SPDX-License-Identifier: Apache-2.0

package native

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// What prefix-affinity believes after a request was routed includes the prompt of the
// request. Scorers that are told of caches believe what they are told.
func TestARoutedPromptIsBelievedIn(t *testing.T) {
	for name, tc := range map[string]struct {
		spec Spec
		want policy.Belief
	}{
		"no index":                     {Spec{Policy: "round-robin"}, policy.Belief{}},
		"a scorer without an index":    {scoring("queue-depth", nil), policy.Belief{}},
		"prefix-affinity":              {scoring("prefix-affinity", nil), policy.Believing(64)},
		"precise, and nothing is told": {scoring("precise-prefix-cache", nil), policy.Believing(0)},
		"oracle, and nothing is told":  {scoring("oracle-prefix", nil), policy.Believing(0)},
		"the first of two": {Spec{Policy: "weighted", Scorers: []Scorer{{Name: "queue-depth", Weight: 1}, {Name: "prefix-affinity", Weight: 1},
			{Name: "oracle-prefix", Weight: 1}}}, policy.Believing(64)},
	} {
		t.Run(name, func(t *testing.T) {
			r := mustNew(t, tc.spec, 2)
			first, err := r.Route(only(1, 2), request(0, text(1, 70)))
			if want := (policy.Belief{Known: tc.want.Known}); err != nil || first.Believed != want {
				t.Errorf("before: %+v, %v, want %+v", first.Believed, err, want)
			}
			second, err := r.Route(only(1, 2), request(1, text(1, 70)))
			if err != nil || second.Believed != tc.want {
				t.Errorf("after: %+v, %v, want %+v", second.Believed, err, tc.want)
			}
		})
	}
}

func TestAnOracleBelievesWhatIsThere(t *testing.T) {
	r := mustNew(t, scoring("oracle-prefix", nil), 2)
	q := request(0, text(1, 70))
	stretch := q.Prompt.FullStretches(nil, 16)[0]
	r.Stored(0, 1, policy.CachedBlocks{Stretch: stretch.ID, From: 0, To: 3}, policy.CPUMemory)
	if to, err := r.Route(only(1, 2), q); err != nil || to.Believed != policy.Believing(48) {
		t.Errorf("%+v, %v", to, err)
	}
}
