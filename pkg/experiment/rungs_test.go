// SPDX-License-Identifier: Apache-2.0

package experiment_test

import (
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
)

func TestAStudyTellsItsRungs(t *testing.T) {
	confirm := int32(2)
	sweep := learning(t, v1alpha1.SuccessiveHalvingSearch)
	sweep.Spec.Search.Confirm = &confirm
	rungs := mustConduct(t, mustCompileSweep(t, sweep), execute.Options{}).Rungs()
	if len(rungs) != 3 || rungs[0].Points != 12 || rungs[1].Points != 4 || rungs[2].Share != 1 {
		t.Errorf("rungs are %+v", rungs)
	}
	if rungs := mustConduct(t, mustCompileSweep(t, learning(t, v1alpha1.RandomSearch)), execute.Options{}).Rungs(); rungs != nil {
		t.Errorf("Random has rungs %+v", rungs)
	}
}
