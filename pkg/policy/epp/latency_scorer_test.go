// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

// predicted is a prediction that a test plants; nil is none.
type predicted struct {
	ttft, tpot float64 // headrooms
	dispatched int
}

// foresee plants the default producer's predictions.
func (p planted) foresee(all ...*predicted) {
	prediction := p.PredictionOf(config.PredictedLatencyProducerType)
	for e, one := range all {
		if prediction.Known[e] = one != nil; one == nil {
			continue
		}
		prediction.TtftHeadroom[e], prediction.TpotHeadroom[e] = one.ttft, one.tpot
		prediction.TtftValid[e], prediction.TpotValid[e] = one.ttft > 0, one.tpot > 0
		prediction.Dispatched[e] = one.dispatched
	}
}

func TestLatencyScorer(t *testing.T) {
	const even = "{ttftWeight: 1, tpotWeight: 1}"
	for _, tc := range []struct {
		name       string
		parameters string
		predicted  []*predicted
		want       []float64
	}{
		{
			"the least room is best where all meet their objectives", even,
			[]*predicted{{100, 10, 1}, {300, 30, 1}, {200, 20, 1}},
			[]float64{1, 0.01, 0.51},
		},
		{
			"the most room where that is asked for", "{ttftWeight: 1, tpotWeight: 1, headroomSelectionStrategy: most}",
			[]*predicted{{100, 10, 1}, {300, 30, 1}, {200, 20, 1}},
			[]float64{0.01, 1, 0.51},
		},
		{
			"endpoints that miss an objective score nothing beside one that meets both", even,
			[]*predicted{{100, 10, 1}, {-1, 10, 0}, {100, -1, 0}},
			[]float64{0.51, 0, 0},
		},
		{
			"headroom of 0 meets an objective", even,
			[]*predicted{{0, 0, 1}, {-1, 0, 1}},
			[]float64{0.51, 0},
		},
		{
			"of those that miss, only the idle score", even,
			[]*predicted{{-100, -10, 0}, {-1, -1, 1}, {-300, -30, 0}},
			[]float64{1, 0, 0.01},
		},
		{
			"a miss between tokens is the least, though it be large", even,
			[]*predicted{{-1, 50, 1}, {50, -500, 1}, {-1, -1, 1}},
			[]float64{0, 0.51, 0},
		},
		{
			"and among those the one nearest to missing the first token is best", even,
			[]*predicted{{100, -5, 1}, {300, -5, 1}},
			[]float64{1, 0.01},
		},
		{
			"then a miss of the first token", even,
			[]*predicted{{-100, 50, 1}, {-1, -1, 1}, {-200, 50, 1}},
			[]float64{1, 0, 0.01},
		},
		{
			"misses are ranked by the least deficit whatever the strategy", "{headroomSelectionStrategy: most, ttftWeight: 1, tpotWeight: 0}",
			[]*predicted{{-100, -1, 1}, {-300, -1, 1}},
			[]float64{1, 0.01},
		},
		{
			"a dimension in which all are the same has no weight", "{ttftWeight: 0.8, tpotWeight: 0.2}",
			[]*predicted{{100, 7, 1}, {200, 7, 1}},
			[]float64{1, 0.01},
		},
		{
			"unless both are", "{ttftWeight: 0.8, tpotWeight: 0.2}",
			[]*predicted{{100, 7, 1}, {100, 7, 1}},
			[]float64{0.51, 0.51},
		},
		{
			"one without a prediction meets its objectives with no room", "{ttftWeight: 1, tpotWeight: 0}",
			[]*predicted{{100, 1, 1}, nil, {-1, 1, 1}},
			[]float64{0.01, 1, 0},
		},
		{
			"weights that add up to nothing leave the first token", "{ttftWeight: -1, tpotWeight: 1}",
			[]*predicted{{100, 20, 1}, {200, 10, 1}},
			[]float64{1, 0.01},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := plant(t, "plugins: [{type: latency-scorer, parameters: "+tc.parameters+"}]", unlabelled(len(tc.predicted))...)
			p.foresee(tc.predicted...)
			got := p.Decide(idle(len(tc.predicted)), request(0, 100)).Scores
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("scores (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLatencyScorerWithoutPredictions(t *testing.T) {
	for _, tc := range []struct {
		name       string
		parameters string
		want       []float64
	}{
		{"equal weights", "{}", []float64{0.67, 0.5, 0.23}}, // (1 + 0.5 + 0.5)/3, (0.5 + 0 + 1)/3, (0.2 + 0.5 + 0)/3
		{"the queue", "{compositeKVWeight: 0, compositePrefixWeight: 0}", []float64{0.5, 0, 0.5}},
		{"the prefix", "{compositeKVWeight: 0, compositeQueueWeight: 0}", []float64{0.5, 1, 0}},
		{"memory, where weights add up to nothing", "{compositeKVWeight: 0, compositeQueueWeight: 0, compositePrefixWeight: 0}", []float64{1, 0.5, 0.2}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := plant(t, "plugins: [{type: latency-scorer, parameters: "+tc.parameters+"}]", unlabelled(3)...)
			p.hold(4, 2, 4, 0)
			view := idle(3)
			for e, waiting := range []int{2, 4, 2} {
				view.Scrapes[e].Waiting, view.Scrapes[e].KVUsage = waiting, []float64{0, 0.5, 0.8}[e]
			}
			if diff := cmp.Diff(tc.want, p.Decide(view, request(0, 256)).Scores, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("scores (-want +got):\n%s", diff)
			}
		})
	}
}
