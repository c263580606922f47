// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/report/page"
	"windtunnel.dev/windtunnel/pkg/result"
)

// Study is a sweep's study with what is stored of it in place of simulations and of answers of a
// proposer, as far as the rows go. It is a fault if the rows are those of another spec.
func Study(ctx context.Context, sweep *v1alpha1.PolicySweep, inputs compile.Inputs, stored *Stored) (*compile.Compiled, *study.Study, error) {
	compiled, errs, err := compile.Sweep(ctx, sweep, inputs)
	switch {
	case err != nil:
		return nil, nil, err
	case len(errs) > 0:
		return nil, nil, Fault{fmt.Errorf("the spec is invalid:\n%s", list(errs))}
	case compiled.Plan.Hash() != sweep.Status.PlanHash:
		return nil, nil, Fault{errors.New("the results are those of another spec or of another version of Windtunnel: wait until the manager has run the present spec, or use the manager's version of this command")}
	}
	if compiled.Plan.ProposerOf() != nil {
		compiled.Plan.Proposer = stored.Journal.Answers
	}
	st, err := study.New(compiled.Plan)
	if err != nil {
		return nil, nil, err
	}
	return compiled, st, replay(st, stored.Rows)
}

func list(errs field.ErrorList) string {
	var text string
	for i, e := range errs {
		if i > 0 {
			text += "\n"
		}
		text += "  - " + e.Error()
	}
	return text
}

// replay goes through a study with rows in place of simulations, as far as the rows go.
func replay(st *study.Study, rows []result.Row) error {
	known := make(map[string]result.Row, len(rows))
	for i := range rows {
		known[rows[i].Key] = rows[i]
	}
	for st.Round() != nil {
		missing, found, err := st.Plan.Missing(st.Round(), func(key string) (result.Row, bool) { row, ok := known[key]; return row, ok })
		if err != nil || len(missing) > 0 {
			return err
		}
		if err := st.AddRows(found); err != nil {
			return err
		}
	}
	return nil
}

// WithoutSeries is how a reader has the time series that stored results of a sweep lack.
const WithoutSeries = "The results of a sweep have no time series: windtunnel sweep --report FILE.html simulates the baseline and the best candidate again and shows theirs; a SimulationRun of a candidate with spec.trace.series: {} has a page of its own: windtunnel report simulationrun/NAME"

// ErrNoPoint says that there is no report of a sweep. It is a fault where the results are stored, and none
// where a verb has just simulated them.
var ErrNoPoint = errors.New("no point has all of its results")

// Report is the report of a study. keep is how many candidates it has; 0 is all.
func Report(st *study.Study, title string, keep int) (*report.Sweep, error) {
	promoted, err := advice.Promote(st, v1alpha1.SourceFormat)
	if err != nil {
		promoted = nil // --promote says why; a report can do without.
	}
	manifests, err := advice.PromoteVaried(st)
	if err != nil {
		manifests = nil // as does --promote-scaler
	}
	out := advice.RollOut{Picker: promoted, Manifests: manifests}
	if st.Plan.Evolving() != nil {
		out.Bundle, _ = advice.PromoteBundle(st) // and this one --promote again
	}
	r, ok, err := advice.NewReport(st, title, keep, out)
	if err == nil && !ok {
		err = ErrNoPoint
	}
	return r, err
}

// PlanFacts identify the figures of a plan.
func PlanFacts(plan *experiment.Plan) []page.Fact {
	facts := []page.Fact{
		{Name: "Engine", Value: plan.EngineVersion, Code: true},
		{Name: "Plan", Value: plan.Hash(), Code: true},
	}
	return append(facts, inputFacts(plan.Inputs)...)
}

// inputFacts are the digests of inputs.
func inputFacts(inputs []v1alpha1.InputDigest) []page.Fact {
	var facts []page.Fact
	for _, in := range inputs {
		facts = append(facts, page.Fact{Name: in.Name, Value: "sha256:" + in.SHA256, Code: true})
	}
	return facts
}
