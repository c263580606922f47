// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// modelSource sends requests for these models, by number.
type modelSource struct{ models []int }

func (s *modelSource) Labels() Labels {
	return Labels{Tenants: []string{"t"}, Models: []string{"a", "b"}}
}
func (s *modelSource) Due() (simtime.Time, bool) { return 0, len(s.models) > 0 }
func (s *modelSource) Ended(End)                 {}

func (s *modelSource) Next() (Request, bool) {
	if len(s.models) == 0 {
		return Request{}, false
	}
	r := Request{Model: s.models[0]}
	s.models = s.models[1:]
	return r, true
}

func TestWithModels(t *testing.T) {
	for name, test := range map[string]struct {
		of   map[string]string
		want []string // of requests that name none, a and b
	}{
		"as they are":  {of: map[string]string{"a": "a", "b": "b"}, want: []string{"", "a", "b"}},
		"one for all":  {of: map[string]string{"": "x", "a": "x", "b": "x"}, want: []string{"x", "x", "x"}},
		"other names":  {of: map[string]string{"a": "B", "b": "A"}, want: []string{"", "B", "A"}},
		"none for all": {want: []string{"", "", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			s := WithModels(&modelSource{models: []int{0, 1, 2}}, func(model string) string { return test.of[model] })
			var got []string
			for r, ok := s.Next(); ok; r, ok = s.Next() {
				model := ""
				if r.Model > 0 {
					model = s.Labels().Models[r.Model-1]
				}
				got = append(got, model)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("models (−want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"t"}, s.Labels().Tenants); diff != "" {
				t.Errorf("tenants (−want +got):\n%s", diff)
			}
		})
	}
}
