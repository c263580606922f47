// SPDX-License-Identifier: Apache-2.0

package study_test

import (
	"slices"
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
)

func TestRungsListTheSharesOfAHalving(t *testing.T) {
	confirm := int32(2)
	sweep := experimenttest.SearchSweep(t, v1alpha1.SuccessiveHalvingSearch)
	sweep.Spec.Search.Confirm = &confirm
	rungs := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, sweep), execute.Options{}).Rungs()
	if len(rungs) != 3 || rungs[0].Points != 12 || rungs[1].Points != 4 || rungs[2].Share != 1 {
		t.Errorf("rungs are %+v", rungs)
	}
	if rungs := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, experimenttest.SearchSweep(t, v1alpha1.RandomSearch)), execute.Options{}).Rungs(); rungs != nil {
		t.Errorf("Random has rungs %+v", rungs)
	}
}

func TestHalvingCostsAtMostHalfOfAllPointsInFull(t *testing.T) {
	c := experimenttest.MustCompileSweep(t, experimenttest.SearchSweep(t, v1alpha1.SuccessiveHalvingSearch))
	conducted := experimenttest.MustRunLocally(t, c, execute.Options{})
	var shares []float64
	effort := 0.0
	for _, row := range conducted.Rows() {
		shares = append(shares, row.Share)
		effort += row.Share
	}
	if !slices.IsSorted(shares) || shares[0] > 0.2 || shares[len(shares)-1] != 1 {
		t.Errorf("shares are %v, want them to grow to 1", shares)
	}
	if full := float64(12 * len(c.Plan.Seeds)); effort > full/2 {
		t.Errorf("%.1f whole simulations, and all points in full are %.0f", effort, full)
	}
}
