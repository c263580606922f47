// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/latency"
)

// allReduceName is the name of the roofline coefficient in the API.
const allReduceName = "allReduce"

var shareNames = []string{"memoryEfficiency", "prefillEfficiency", "decodeEfficiency"}

// StepTimes says in a line for each pool of a resolved scenario what its step
// times rest on: shares of the accelerator's peaks that are fitted, published or
// given, how the time of an all-reduce is found, and how far such predictions were
// off on what was measured. Pools of which the same is to be said share a line. The
// warnings are about pools whose shares were fitted
// on something else than what they serve.
func (b *Builder) StepTimes(in *v1alpha1.Scenario, path *field.Path) (lines, warnings []string) {
	catalogue, errs := b.catalogue(in.Catalogue, nil)
	if len(errs) > 0 {
		return nil, nil
	}
	names := map[string][]string{}
	var texts []string
	for i := range in.Pools {
		pool := &in.Pools[i]
		instance, errs := buildInstance(pool, catalogue, nil)
		if len(errs) > 0 {
			continue
		}
		s := stepTimes{pool, instance, catalogue}
		text := fmt.Sprintf("on %s, %s: %s%s", pool.Accelerator, parallelism(pool), s, draftTimes(pool))
		if len(names[text]) == 0 {
			texts = append(texts, text)
		}
		names[text] = append(names[text], pool.Name)
		if s.extrapolates() {
			warnings = append(warnings, fmt.Sprintf("%s: the shares of %s were fitted on %s, and this pool serves %s at %s: calibrate, or see the step times as an extrapolation",
				path.Child("pools").Index(i), pool.Accelerator, instance.Accelerator.Provenance.FittedOn(), pool.Model, parallelism(pool)))
		}
	}
	for _, text := range texts {
		lines = append(lines, strings.Join(names[text], ", ")+" "+text)
	}
	return lines, warnings
}

// parallelism names a pool's, such as "TP 2, DP 4".
func parallelism(pool *v1alpha1.Pool) string {
	text := fmt.Sprintf("TP %d", pool.TensorParallelism)
	if ranks := ranksOf(pool); ranks > 1 {
		text += fmt.Sprintf(", DP %d", ranks)
	}
	return text
}

// stepTimes are a pool, with its latency model, and what it serves.
type stepTimes struct {
	pool      *v1alpha1.Pool
	instance  latency.Instance
	catalogue *latency.Catalogue
}

// otherLatencyModels say what the latency models rest on that look at no shares.
var otherLatencyModels = map[v1alpha1.LatencyModel]string{
	v1alpha1.LinearModel:  "linear in the tokens of a step, by coefficients given by you",
	v1alpha1.PhysicsModel: "a published regression, with one set of coefficients for all accelerators; all-reduce: part of it",
	v1alpha1.TableModel:   "interpolated in a table given by you",
}

// String says what the step times rest on.
func (s stepTimes) String() string {
	if text, ok := otherLatencyModels[s.pool.Latency.Model]; ok {
		return text + "; " + s.errors()
	}
	parts := []string{s.shares()}
	if others := s.othersGiven(); len(others) > 0 {
		parts = append(parts, strings.Join(others, ", ")+" given by you")
	}
	if s.instance.TensorParallelism > 1 {
		parts = append(parts, "all-reduce: "+s.allReduce())
	}
	if s.instance.StepTogether() {
		parts = append(parts, "dispatch and combine of experts: a formula (a latency and a share of the link's rate)")
	}
	return strings.Join(append(parts, s.errors()), "; ")
}

func (s stepTimes) shares() string {
	p := s.instance.Accelerator.Provenance
	if s.sharesGiven() || p == nil {
		return "shares of peak given by you"
	}
	text := "shares of peak published"
	switch p.Shares {
	case latency.Fitted:
		text = "shares of peak fitted on " + p.FittedOn()
	case latency.Rounded:
		text = "shares of peak rounded from fits"
	}
	if p.Accelerator != "" {
		text += " for " + p.Accelerator
	}
	if p.Source != "" {
		text += " (" + p.Source + ")"
	}
	switch {
	case p.Shares == latency.Published:
		text += ", fitted to no engine"
	case s.extrapolates():
		text += fmt.Sprintf(", not on %s at TP %d", s.instance.Model.Name, s.instance.TensorParallelism)
	}
	return text
}

// extrapolates reports whether fitted shares serve for what they were not
// fitted on.
func (s stepTimes) extrapolates() bool {
	p := s.instance.Accelerator.Provenance
	return otherLatencyModels[s.pool.Latency.Model] == "" && !s.sharesGiven() &&
		p != nil && p.Shares == latency.Fitted && !p.Covers(s.instance, s.catalogue)
}

// sharesGiven reports whether the pool overrides all of the shares.
func (s stepTimes) sharesGiven() bool {
	given := givenCoefficients(s.pool.Latency.Roofline)
	return !slices.ContainsFunc(shareNames, func(name string) bool { return !slices.Contains(given, name) })
}

// othersGiven names the coefficients that the pool overrides in addition to what is said
// of all shares and of collectives.
func (s stepTimes) othersGiven() []string {
	all := s.sharesGiven()
	return slices.DeleteFunc(givenCoefficients(s.pool.Latency.Roofline), func(name string) bool {
		return name == allReduceName || all && slices.Contains(shareNames, name)
	})
}

func (s stepTimes) allReduce() string {
	if s.pool.Latency.Roofline != nil && len(s.pool.Latency.Roofline.AllReduce) > 0 {
		return "measured curve given by you"
	}
	curve, measured := s.instance.AllReduce()
	if formula := s.pool.Latency.Roofline != nil && s.pool.Latency.Roofline.AllReduceLatencyMicroseconds != ""; formula || !measured {
		return "a formula (a latency and a share of the link's rate)"
	}
	if curve.Source == "" {
		return "measured curve"
	}
	if s.instance.AllReduceOfAnotherEngine() {
		return "measured curve of another version (" + curve.Source + ")"
	}
	return "measured curve (" + curve.Source + ")"
}
