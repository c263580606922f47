// SPDX-License-Identifier: Apache-2.0

package stability

import (
	"math"
	"slices"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// observation is a value that was observed count times at a time.
type observation struct {
	at    time.Duration
	value float64
	count int
}

func momentsOf(window time.Duration, observations ...observation) *moments {
	m := newMoments(window, 0)
	for _, o := range observations {
		m.add(simtime.Time(o.at), o.value, float64(o.count))
	}
	return &m
}

// plainMoments sums over all observations, each by its weight at the end.
func plainMoments(window time.Duration, observations []observation) (mean, variance, samples float64) {
	end := time.Duration(0)
	for _, o := range observations {
		end = max(end, o.at)
	}
	var weights, squaredWeights, sum float64
	each := func(visit func(weight, value float64)) {
		for _, o := range observations {
			for range o.count {
				visit(math.Exp(-float64(end-o.at)/float64(window)), o.value)
			}
		}
	}
	each(func(w, v float64) { weights += w; squaredWeights += w * w; sum += w * v })
	mean = sum / weights
	squares := 0.0
	each(func(w, v float64) { squares += w * (v - mean) * (v - mean) })
	if samples = weights * weights / squaredWeights; samples > 1 {
		variance = squares / (weights - squaredWeights/weights)
	}
	return mean, variance, samples
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

func TestMoments(t *testing.T) {
	for name, observations := range map[string][]observation{
		"one":                              {{time.Second, 5, 1}},
		"at one instant":                   {{0, 2, 1}, {0, 4, 1}, {0, 9, 1}},
		"apart":                            {{0, 2, 1}, {time.Minute, 4, 1}, {90 * time.Second, 9, 1}},
		"many at once":                     {{0, 2, 1000}, {time.Second, 4, 1}, {2 * time.Second, 3, 500}},
		"told late, after younger ones":    {{time.Minute, 2, 1}, {time.Second, 4, 3}, {2 * time.Minute, 9, 1}},
		"large values that hardly differ":  {{0, 1e6, 1}, {time.Second, 1e6 + 1, 1}, {2 * time.Second, 1e6 + 2, 1}},
		"zeros count":                      {{0, 0, 1}, {time.Second, 10, 1}},
		"a long pause leaves the new ones": {{0, 7, 1}, {100 * time.Hour, 3, 1}, {100 * time.Hour, 5, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			m := momentsOf(time.Minute, observations...)
			mean, variance, samples := plainMoments(time.Minute, observations)
			if !near(m.mean, mean) || !near(m.variance(), variance) || !near(m.samples(), samples) {
				t.Errorf("mean %v, variance %v of %v samples; want %v, %v, %v",
					m.mean, m.variance(), m.samples(), mean, variance, samples)
			}
		})
	}
}

func TestVarianceAtOneInstantIsTheSamples(t *testing.T) {
	if got := momentsOf(time.Minute, observation{0, 2, 1}, observation{0, 4, 1}, observation{0, 9, 1}).variance(); !near(got, 13) {
		t.Errorf("variance of 2, 4 and 9 = %v, want 26/2", got)
	}
}

func TestMomentsFollowTheWindow(t *testing.T) {
	m := newMoments(time.Minute, 0)
	for second := range 3600 {
		value := 10.0
		if second >= 3000 {
			value = 30
		}
		m.add(simtime.Time(second)*1e9, value, 1)
	}
	if math.Abs(m.mean-30) > 0.01 {
		t.Errorf("ten windows after a change the mean is %v, want 30", m.mean)
	}
}

// TestOrderDoesNotMatter tells the same events in two orders.
func TestOrderDoesNotMatter(t *testing.T) {
	s := stats.NewStream(1, "order")
	var observations []observation
	for range 200 {
		observations = append(observations, observation{time.Duration(s.IntN(1e11)), s.Float64(), 1 + s.IntN(5)})
	}
	shuffled := momentsOf(time.Minute, observations...)
	shuffledRate := newRate(time.Minute, 0)
	for _, o := range observations {
		shuffledRate.add(simtime.Time(o.at))
	}
	slices.SortFunc(observations, func(a, b observation) int { return int(a.at - b.at) })
	sorted := momentsOf(time.Minute, observations...)
	sortedRate := newRate(time.Minute, 0)
	for _, o := range observations {
		sortedRate.add(simtime.Time(o.at))
	}
	if !near(shuffled.mean, sorted.mean) || !near(shuffled.variance(), sorted.variance()) || !near(shuffled.samples(), sorted.samples()) {
		t.Errorf("shuffled %+v, sorted %+v", shuffled, sorted)
	}
	a, _ := shuffledRate.perSecond(2e11)
	b, _ := sortedRate.perSecond(2e11)
	if !near(a, b) {
		t.Errorf("rates %v and %v", a, b)
	}
}
