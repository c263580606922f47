// SPDX-License-Identifier: Apache-2.0

package study_test

import (
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
)

func TestARunHasOnePointAndDocuments(t *testing.T) {
	c := experimenttest.MustCompileRun(t, experimenttest.Run(t))
	one, err := study.New(c.Plan)
	if err != nil {
		t.Fatal(err)
	}
	rows, documents := experimenttest.RowsAndDocuments(experimenttest.MustSimulate(t, c, experimenttest.AllSimulations(t, c.Plan)))
	if err := one.AddRows(rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 || len(documents) != 2 {
		t.Fatalf("%d rows and %d documents, want one of each a seed", len(rows), len(documents))
	}
	var status v1alpha1.SimulationRunStatus
	study.FillStatus(&status.CommonStatus, c.Plan)
	if err := study.FillRun(&status, one); err != nil {
		t.Fatal(err)
	}
	if status.Progress.Completed != 2 || len(status.Metrics) == 0 {
		t.Errorf("status is %+v", status)
	}
}
