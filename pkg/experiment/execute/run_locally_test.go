// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/result"
)

func generation(n int32) func(*v1alpha1.PolicySweep) {
	return func(s *v1alpha1.PolicySweep) { s.Spec.Search.GenerationSize = &n }
}

// rowsText writes rows as they are stored.
func rowsText(t testing.TB, rows []result.Row) string {
	t.Helper()
	var b strings.Builder
	if err := result.WriteRows(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// memory holds rows by their keys.
type memory map[string]result.Row

func (m memory) remember(_ experiment.Point, row *result.Row) error {
	m[row.Key] = *row
	return nil
}

func (m memory) known(key string) (result.Row, bool) {
	row, ok := m[key]
	return row, ok
}

func TestAResumedStudyHasTheRowsOfAWholeOne(t *testing.T) {
	stop := errors.New("stop")
	for _, algorithm := range []v1alpha1.SearchAlgorithm{v1alpha1.TPESearch, v1alpha1.SuccessiveHalvingSearch} {
		t.Run(string(algorithm), func(t *testing.T) {
			sweep := experimenttest.SearchSweep(t, algorithm)
			if algorithm == v1alpha1.TPESearch {
				generation(4)(sweep)
			}
			c := experimenttest.MustCompileSweep(t, sweep)
			whole := experimenttest.MustRunLocally(t, c, execute.Options{})
			total := whole.Simulations()
			for _, after := range []int{1, total / 2, total - 1} {
				m := memory{}
				_, err := execute.RunLocally(t.Context(), c.Plan, c.Traces, execute.Options{Parallelism: 2, Done: func(point experiment.Point, row *result.Row) error {
					if len(m) == after {
						return stop
					}
					return m.remember(point, row)
				}})
				if !errors.Is(err, stop) {
					t.Fatalf("cut off after %d: %v", after, err)
				}
				again := experimenttest.MustRunLocally(t, c, execute.Options{Known: m.known})
				if again.Reused != after {
					t.Errorf("%d rows were known, and %d were used again", after, again.Reused)
				}
				if diff := cmp.Diff(rowsText(t, whole.Rows()), rowsText(t, again.Rows())); diff != "" {
					t.Errorf("cut off after %d (−whole +resumed):\n%s", after, diff)
				}
			}
		})
	}
}

func TestAnEditedSweepReusesRows(t *testing.T) {
	sweep := experimenttest.Sweep(t)
	m := memory{}
	before := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, sweep), execute.Options{Done: m.remember})
	sweep.Spec.Replications = v1alpha1.Replications{Seeds: append(slices.Clone(before.Plan.Seeds), 77)}
	sweep.Name = "renamed"
	after := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, sweep), execute.Options{Known: m.known})
	points := len(after.Points())
	if got, want := after.Simulations()-after.Reused, points; got != want {
		t.Errorf("one more seed for %d points took %d simulations", points, got)
	}
}
