// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// liveOptions are those of a run that is played in place of simulated, with the given seeds.
func liveOptions(t *testing.T, play func(experiment.Case) (experiment.Simulation, error), seeds ...int64) Options {
	t.Helper()
	o := mountedOptions(t)
	c, errs, err := compile.Run(t.Context(), builder.MakeRun("small", "ns").Scenario(builder.Requests(20)).Seeds(seeds...).Obj(), traceInputs(mooncakeTrace(t, 1)))
	if err != nil || len(errs) > 0 {
		t.Fatalf("CompileRun: %v, %v", errs, err)
	}
	writeFile(t, filepath.Join(o.PlanFolder, PlanFile), c.Plan.Encode())
	o.Shards = 1
	o.Live = func(_ context.Context, _ *experiment.Plan, _ trace.Set, of experiment.Case) (experiment.Simulation, store.Rehearsal, error) {
		s, err := play(of)
		return s, store.Rehearsal{Within: true, Message: "all is equal"}, err
	}
	return o
}

func TestALiveRunsComparisonLiesBesideItsRow(t *testing.T) {
	var r recordingCreator
	report, err := Run(t.Context(), liveOptions(t, func(of experiment.Case) (experiment.Simulation, error) {
		return experiment.Simulation{Row: result.Row{Key: "live", Seed: of.Seed, Share: 1}, Rehearsal: []byte("compared")}, nil
	}, 7), &r)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&store.Rehearsal{Within: true, Message: "all is equal"}, report.Rehearsal); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	cm, listed := r.created[0], listedChunks(t, r.created[0])
	chunk := store.Chunk{Rows: 1, Data: cm.Data, Binary: cm.BinaryData}
	rows, err := chunk.Decode()
	if err != nil || len(rows) != 1 || rows[0].Seed != 7 || string(cm.BinaryData[store.RehearsalKey]) != "compared" {
		t.Errorf("rows %+v, %v; the comparison is %q", rows, err, cm.BinaryData[store.RehearsalKey])
	}
	with := chunk.SHA256()
	if delete(cm.BinaryData, store.RehearsalKey); with != listed[0].SHA256 || chunk.SHA256() == with {
		t.Error("the digest is not of the comparison")
	}
}

func TestALiveRunThatFailsWritesNothing(t *testing.T) {
	failure := errors.New("the EPP does not serve")
	for name, tc := range map[string]struct {
		seeds []int64
		want  error
	}{
		"an EPP that does not serve": {[]int64{1}, failure},
		"two seeds":                  {[]int64{1, 2}, ErrBadInput},
	} {
		var r recordingCreator
		report, err := Run(t.Context(), liveOptions(t, func(experiment.Case) (experiment.Simulation, error) { return experiment.Simulation{}, failure }, tc.seeds...), &r)
		if !errors.Is(err, tc.want) || report.Error == "" || report.Rehearsal != nil || len(r.created) > 0 {
			t.Errorf("%s: error %v, report %+v, %d ConfigMaps", name, err, report, len(r.created))
		}
	}
}
