// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// tenantSource sends a request of each tenant, of class a and priority 1.
type tenantSource struct{ sent int }

func (s *tenantSource) Labels() Labels {
	return Labels{Tenants: []string{"gold", "free"}, Classes: []string{"a"}}
}
func (s *tenantSource) Due() (simtime.Time, bool) { return 0, s.sent < 2 }
func (s *tenantSource) Ended(End)                 {}

func (s *tenantSource) Next() (Request, bool) {
	if s.sent == 2 {
		return Request{}, false
	}
	s.sent++
	return Request{Tenant: s.sent - 1, Priority: 1}, true
}

func TestWithTenants(t *testing.T) {
	five, none := 5, 0
	for name, tc := range map[string]struct {
		stated map[string]Stated
		want   []string // of the tenants
	}{
		"nothing":            {nil, []string{"gold a 1", "free a 1"}},
		"a priority":         {map[string]Stated{"gold": {Priority: &five}}, []string{"gold a 5", "free a 1"}},
		"the priority 0":     {map[string]Stated{"free": {Priority: &none}}, []string{"gold a 1", "free a 0"}},
		"a new class":        {map[string]Stated{"free": {Class: "b"}}, []string{"gold a 1", "free b 1"}},
		"a class of the two": {map[string]Stated{"gold": {Class: "b"}, "free": {Class: "b", Priority: &five}}, []string{"gold b 1", "free b 5"}},
		"the class it has":   {map[string]Stated{"gold": {Class: "a"}}, []string{"gold a 1", "free a 1"}},
		"of nobody":          {map[string]Stated{"x": {Class: "b", Priority: &five}}, []string{"gold a 1", "free a 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := WithTenants(&tenantSource{}, tc.stated)
			var got []string
			for r, ok := s.Next(); ok; r, ok = s.Next() {
				got = append(got, fmt.Sprintf("%s %s %d", s.Labels().Tenants[r.Tenant], s.Labels().Classes[r.Class], r.Priority))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("requests (−want +got):\n%s", diff)
			}
		})
	}
}
