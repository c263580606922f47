// SPDX-License-Identifier: Apache-2.0

package keda

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/go-logr/logr"
	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	"github.com/kedacore/keda/v2/pkg/fallback"
	"github.com/kedacore/keda/v2/pkg/scaling/cache"
	"github.com/kedacore/keda/v2/pkg/scaling/modifiers"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/metrics/pkg/apis/external_metrics"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/keda"
)

// FormulaStory is one object with a formula about its triggers, and what KEDA made of their
// answers.
type FormulaStory struct {
	Formula, Target, Activation string
	MetricType                  hpa.TargetType
	Names                       []string
	Fallback                    *keda.Fallback
	// Refused says that KEDA does not take the formula.
	Refused bool
	Asks    []FormulaAsk
}

// FormulaAsk is what the triggers said, and what KEDA made of it.
type FormulaAsk struct {
	Target         keda.Target
	Answers        []keda.Answer
	Observed       hpa.Observation
	Active, Failed bool
}

var formulas = []string{
	"a + b", "float(a)", "a", "a - b", "max([a, b])", "max(a, b, c)", "(a + b + c) / 3", "a > 10 ? b : c", "a / b", "a ** 2 + b % 7",
	"count([a, b, c], {# > 10})", "sum([a, b, c])", "mean([a, b])", "median([a, b, c])", "int(a) * 2", "ceil(a / 3)", "floor(b)", "round(c)",
	"a ?? 5", "a ?? b", "a ?? b ?? c", "(a ?? 0) + (b ?? 0)", "a > 5 && b > 5 ? 10 : 1", "let x = a * 2; x + b", "abs(a - b)",
	"sum(filter([a, b, c], # > 10))", "a in [1, 2, 3] ? 1 : 0", "min(a, 100) * 1.5", "d + 1", "a +", "a > b", "[a, b][0]", "first([a, b])",
	"len(filter([a, b, c], {# >= 1}))", "not (a > 3) ? 2 : 4", "a == b ? 1 : 2", "1000", "a * 1e15", "nil ?? a", "any([a, b], # > 90) ? 7 : 0.0004",
}

// askFormula asks an object of KEDA for its one metric.
func askFormula(t *testing.T, r *rand.Rand) *FormulaStory {
	s := &FormulaStory{
		Formula: pick(r, formulas...), Target: pick(r, "1", "5", "2.5", "5.0", "0.7", "100"), Activation: pick(r, "", "0", "3", "12.5", "-2"),
		MetricType: pick(r, "", hpa.AverageValue, hpa.Value), Names: []string{"a", "b", "c"},
	}
	if r.IntN(3) > 0 {
		s.Fallback = &keda.Fallback{
			FailureThreshold: int32(r.IntN(3)), Replicas: int32(r.IntN(7)),
			Behavior: pick(r, keda.Static, keda.CurrentReplicas, keda.CurrentReplicasIfHigher, keda.ByFormula, keda.ByFormula),
		}
	}
	spec := keda.Spec{Fallback: s.Fallback}
	for range s.Names {
		spec.Triggers = append(spec.Triggers, keda.Trigger{Metric: hpa.Metric{Source: hpa.External, Target: hpa.Target{Type: hpa.AverageValue, Value: 5000}}})
	}
	o := newOperator(spec)
	o.object.Spec.Advanced = &kedav1alpha1.AdvancedConfig{ScalingModifiers: kedav1alpha1.ScalingModifiers{
		Formula: s.Formula, Target: s.Target, ActivationTarget: s.Activation, MetricType: autoscalingv2.MetricTargetType(s.MetricType),
	}}
	for _, name := range s.Names {
		o.object.Spec.Triggers = append(o.object.Spec.Triggers, kedav1alpha1.ScaleTriggers{Type: "prometheus", Name: name})
	}
	program, err := kedav1alpha1.ValidateAndCompileScalingModifiers(o.object)
	if s.Refused = err != nil; s.Refused {
		return s
	}
	compiled := &cache.ScalersCache{CompiledFormula: program}
	for range polls {
		ask := FormulaAsk{Target: keda.Target{Replicas: int32(r.IntN(8)), Ready: int32(r.IntN(5))}}
		for range s.Names {
			a := keda.Answer{Failed: r.IntN(4) == 0}
			if !a.Failed {
				a.Value = pick(r, 0, 0.0005, 1, 2, 17.0625, 100*r.Float64(), 1e9*r.Float64())
			}
			ask.Answers = append(ask.Answers, a)
		}
		o.combine(t, &ask, s.Names, spec, compiled)
		ask.activity(t, s.Activation)
		s.Asks = append(s.Asks, ask)
	}
	return s
}

// combine does what KEDA does between its triggers and the one metric.
func (o *operator) combine(t *testing.T, ask *FormulaAsk, names []string, spec keda.Spec, compiled *cache.ScalersCache) {
	o.cluster.replicas, o.cluster.ready = ask.Target.Replicas, ask.Target.Ready
	handler := fallback.ScaledObjectHandler{Ctx: t.Context(), KubeClient: o.cluster, ScaleClient: o.cluster, UpdateLock: &o.cluster.lock, ScaledObject: o.object}
	pairs := map[string]string{}
	var all, held []external_metrics.ExternalMetricValue
	for i, a := range ask.Answers {
		metric := metricSpec(i, spec.Triggers[i].Metric)
		name := metric.External.Metric.Name
		var failure error
		var values []external_metrics.ExternalMetricValue
		if a.Failed {
			failure = errors.New("the trigger failed")
		} else {
			values = []external_metrics.ExternalMetricValue{{MetricName: name, Value: *rounded(a.Value)}}
		}
		values, inForce, err := fallback.GetMetricsWithFallback(handler, values, failure, name, metric)
		ask.Failed = ask.Failed || err != nil
		if inForce {
			held = append(held, values...)
		}
		all = append(all, values...)
		pair, _ := modifiers.GetPairTriggerAndMetric(o.object, name, names[i])
		for k, v := range pair {
			pairs[k] = v
		}
	}
	if ask.Failed && len(held) == 0 || len(all) == 0 {
		ask.Observed = hpa.Observation{Failed: true}
		return
	}
	all = modifiers.HandleScalingModifiers(o.object, all, pairs, len(held) > 0, held, compiled, logr.Discard())
	if len(all) == 0 {
		ask.Observed = hpa.Observation{Failed: true}
		return
	}
	for _, v := range all {
		ask.Observed.Values = append(ask.Observed.Values, v.Value.MilliValue())
	}
}

// activity compares the one metric with its activation target.
func (a *FormulaAsk) activity(t *testing.T, activation string) {
	least := 0.0
	if activation != "" {
		var err error
		if least, err = strconv.ParseFloat(activation, 64); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range a.Observed.Values {
		a.Active = a.Active || !a.Failed && resource.NewMilliQuantity(v, resource.DecimalSI).AsApproximateFloat64() > least
	}
}
