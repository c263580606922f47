// SPDX-License-Identifier: Apache-2.0

package fit

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// bursts is how much the counts of requests vary around the rates of stages of one length.
type bursts struct {
	stage float64 // seconds
	// steadyRate is Σλ²/Σλ over the stages' rates λ in requests a second: the rate that a
	// request sees.
	steadyRate float64
	dispersion []dispersion // of windows of half a stage, of a quarter and so on
}

// dispersion is the variance of the counts in windows around the mean of their stage, divided
// by the mean count.
type dispersion struct{ window, value float64 }

const (
	// mostHalvings is how often windows are halved, and leastPerWindow the mean number of
	// requests below which a window tells nothing of bursts.
	mostHalvings, leastPerWindow = 12, 0.25
	// The dispersion of gaps that are independent is that of bursts at burstHalvings; the
	// eighth of a stage gives seven degrees of freedom for each stage. MMPP is chosen where
	// it is burstFactor times as high.
	burstHalvings, burstFactor = 3, 2
)

// newBursts measures the counts within the stages.
func newBursts(r *rates) bursts {
	arrivals, n, stage := r.arrivals, len(r.counts), r.length.Seconds()
	b := bursts{stage: stage}
	for _, count := range r.counts {
		b.steadyRate += float64(count) / stage * float64(count) / float64(len(arrivals))
	}
	for k := 1; k <= mostHalvings; k++ {
		windows := n << k
		if k > burstHalvings && float64(len(arrivals)) < leastPerWindow*float64(windows) {
			break
		}
		window := math.Ldexp(stage, -k)
		counts := make([]float64, windows)
		for _, at := range arrivals {
			counts[min(int(at/window), windows-1)]++
		}
		squares := 0.0
		for i := range n {
			of := counts[i<<k : (i+1)<<k]
			mean := sum(of) / float64(len(of))
			for _, count := range of {
				squares += (count - mean) * (count - mean)
			}
		}
		b.dispersion = append(b.dispersion, dispersion{window, squares / float64(len(arrivals))})
	}
	return b
}

func sum(of []float64) float64 {
	total := 0.0
	for _, x := range of {
		total += x
	}
	return total
}

// beyond reports whether counts vary more than independent gaps with a coefficient of
// variation explain: for long windows, the dispersion of such counts is the square of it.
func (b bursts) beyond(cv float64) bool {
	d := b.dispersion[burstHalvings-1]
	return d.value > burstFactor*cv*cv*(1-d.window/b.stage)
}

// modulation is a rate that varies with a coefficient of variation, whose autocorrelation
// falls to 1/e within seconds.
type modulation struct{ cv2, seconds float64 }

// fit returns the modulation of a Poisson process with the dispersions that are nearest to the
// measured ones, by the squares of relative errors. Such a process has the variance
// λt + 2 cv² λ² τ (t − τ (1 − exp(−t/τ))) of counts in a time t; the dispersion is of what
// remains around the mean of a stage.
func (b bursts) fit() modulation {
	const gridStep = 1.1
	best, least := modulation{}, math.Inf(1)
	grown := func(t, seconds float64) float64 { return 1 - (1-stats.Exp(-t/seconds))*seconds/t }
	for seconds := b.dispersion[len(b.dispersion)-1].window / 4; seconds <= b.stage; seconds *= gridStep {
		slope := func(d dispersion) float64 {
			return 2 * b.steadyRate * seconds * (grown(d.window, seconds) - d.window/b.stage*grown(b.stage, seconds))
		}
		num, den := 0.0, 0.0
		for _, d := range b.dispersion {
			x, y := slope(d)/d.value, (d.value-(1-d.window/b.stage))/d.value
			num, den = num+x*y, den+x*x
		}
		cv2, err := max(0, num/den), 0.0
		for _, d := range b.dispersion {
			e := ((1 - d.window/b.stage) + cv2*slope(d) - d.value) / d.value
			err += e * e
		}
		if err < least {
			best, least = modulation{cv2, seconds}, err
		}
	}
	// The modulation also moves the counts of stages, and so the steady rate that is seen is
	// that of the stages times 1 + cv² moved.
	moved := 2 * best.seconds / b.stage * grown(b.stage, best.seconds)
	best.cv2 /= max(1-best.cv2*moved, 0.5)
	return best
}

// states returns two states with the modulation: of equal durations where the coefficient of
// variation is at most 1, and else one without requests and one that is rarer.
func (m modulation) states() []v1alpha1.ArrivalState {
	cv := math.Sqrt(m.cv2)
	low, high, inHigh := 1-cv, 1+cv, 0.5
	if cv > 1 {
		low, high, inHigh = 0, 1+m.cv2, 1/(1+m.cv2)
	}
	state := func(factor, seconds float64) v1alpha1.ArrivalState {
		d := max(time.Duration(seconds*float64(time.Second)).Round(time.Millisecond), time.Millisecond)
		return v1alpha1.ArrivalState{RateFactor: v1alpha1.NonNegativeDecimal(decimal(factor)), MeanDuration: v1alpha1.PositiveDuration(d.String())}
	}
	return []v1alpha1.ArrivalState{state(low, m.seconds/inHigh), state(high, m.seconds/(1-inHigh))}
}
