// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"windtunnel.dev/windtunnel/pkg/stats"
)

func TestKernel(t *testing.T) {
	k := kernel{choice: []bool{false, true}, lengths: []float64{0.5, 2}}
	matern := func(r float64) float64 {
		return (1 + math.Sqrt(5)*r + 5*r*r/3) * math.Exp(-math.Sqrt(5)*r)
	}
	none := math.NaN()
	for name, tc := range map[string]struct {
		x, y []float64
		want float64
	}{
		"the same":             {[]float64{0.3, 0.25}, []float64{0.3, 0.25}, 1},
		"other numbers":        {[]float64{0.1, 0.25}, []float64{0.4, 0.25}, matern(0.6)},
		"near labels":          {[]float64{0.1, 0.25}, []float64{0.1, 0.26}, matern(0.5)},
		"far labels":           {[]float64{0.1, 0}, []float64{0.1, 1}, matern(0.5)},
		"both":                 {[]float64{0.1, 0.25}, []float64{0.4, 0.75}, matern(math.Hypot(0.6, 0.5))},
		"a number is missing":  {[]float64{none, 0.25}, []float64{0.8, 0.25}, matern(0.6)},
		"both miss the number": {[]float64{none, 0.25}, []float64{none, 0.25}, 1},
		"a label is missing":   {[]float64{0.1, none}, []float64{0.1, 0.25}, matern(0.5)},
		"both miss the label":  {[]float64{0.1, none}, []float64{0.1, none}, 1},
	} {
		if got, back := k.at(tc.x, tc.y), k.at(tc.y, tc.x); math.Abs(got-tc.want) > 1e-14 || got != back {
			t.Errorf("%s: %v and %v, want %v", name, got, back, tc.want)
		}
	}
}

// mixedInputs are of two numbers and a choice; numbers are missing at times.
func mixedInputs(n int, s *stats.Stream) [][]float64 {
	inputs := make([][]float64, n)
	for i := range inputs {
		inputs[i] = []float64{s.Float64(), s.Float64(), (float64(s.IntN(3)) + 0.5) / 3}
		if s.IntN(4) == 0 {
			inputs[i][1] = math.NaN()
		}
	}
	return inputs
}

var mixedKernel = kernel{choice: []bool{false, false, true}, lengths: []float64{0.4, 0.9, 1.5}}

func TestPredictionsAreThoseOfTheTextbook(t *testing.T) {
	s := stats.NewStream(1, "process")
	const n, noise = 30, 0.01
	inputs, outputs := mixedInputs(n, s), randomVector(n, s)
	g := newGaussianProcess(mixedKernel, noise, inputs, outputs)
	covariance := mat.NewSymDense(n, nil)
	for i, x := range inputs {
		for j := range i + 1 {
			covariance.SetSym(i, j, mixedKernel.at(x, inputs[j]))
		}
		covariance.SetSym(i, i, 1+noise)
	}
	var inverse mat.Dense
	if err := inverse.Inverse(covariance); err != nil {
		t.Fatal(err)
	}
	y := mat.NewVecDense(n, outputs)
	scale := mat.Inner(y, &inverse, y) / n
	for _, x := range mixedInputs(20, s) {
		k := mat.NewVecDense(n, g.covariances(x))
		mean, deviation := g.predict(x)
		if want := mat.Inner(k, &inverse, y); math.Abs(mean-want) > 1e-9 {
			t.Errorf("at %v: mean %v, want %v", x, mean, want)
		}
		if want := math.Sqrt(scale * (1 - mat.Inner(k, &inverse, k))); math.Abs(deviation-want) > 1e-7 {
			t.Errorf("at %v: deviation %v, want %v", x, deviation, want)
		}
	}
	logDet, _ := mat.LogDet(covariance)
	want := -0.5*logDet - n/2*math.Log(scale)
	if got := g.logLikelihood(); math.Abs(got-want) > 1e-8 {
		t.Errorf("log likelihood %v, want %v", got, want)
	}
}

func TestAProcessKnowsItsInputsAndNothingFarFromThem(t *testing.T) {
	s := stats.NewStream(2, "process")
	inputs, outputs := mixedInputs(12, s), randomVector(12, s)
	k := kernel{choice: mixedKernel.choice, lengths: []float64{0.02, 0.02, 0.02}}
	g := newGaussianProcess(k, 1e-9, inputs, outputs)
	for i, x := range inputs {
		if mean, deviation := g.predict(x); math.Abs(mean-outputs[i]) > 1e-6 || deviation > 1e-3 {
			t.Errorf("input %d: %v ± %v, want %v", i, mean, deviation, outputs[i])
		}
	}
	mean, deviation := g.predict([]float64{2, 2, 0.5})
	if math.Abs(mean) > 1e-9 || math.Abs(deviation-math.Sqrt(g.scale)) > 1e-9 {
		t.Errorf("far off: %v ± %v, want 0 ± %v", mean, deviation, math.Sqrt(g.scale))
	}
}

func TestWhatIsBelievedIsCertainAndChangesNoMean(t *testing.T) {
	s := stats.NewStream(3, "process")
	g := newGaussianProcess(mixedKernel, 1e-6, mixedInputs(20, s), randomVector(20, s))
	x, elsewhere := []float64{0.45, 0.55, 0.5}, []float64{0.9, 0.1, 0.5}
	mean, deviation := g.predict(x)
	meanElsewhere, _ := g.predict(elsewhere)
	g.believe(x)
	after, deviationAfter := g.predict(x)
	if math.Abs(after-mean) > 1e-7 || deviationAfter > deviation/5 {
		t.Errorf("believed %v ± %v, afterwards %v ± %v", mean, deviation, after, deviationAfter)
	}
	if after, _ := g.predict(elsewhere); math.Abs(after-meanElsewhere) > 1e-7 {
		t.Errorf("elsewhere %v, afterwards %v", meanElsewhere, after)
	}
}

func TestLowestIsTheLeastMean(t *testing.T) {
	s := stats.NewStream(4, "process")
	g := newGaussianProcess(mixedKernel, 0.3, mixedInputs(25, s), randomVector(25, s))
	want := math.Inf(1)
	for _, x := range g.inputs {
		mean, _ := g.predict(x)
		want = math.Min(want, mean)
	}
	if got := g.lowest(); math.Abs(got-want) > 1e-9 {
		t.Errorf("lowest %v, want %v", got, want)
	}
}

// The fit sees which coordinates matter, and what is noise.
func TestFitTellsWhatMatters(t *testing.T) {
	s := stats.NewStream(5, "process")
	inputs := make([][]float64, 60)
	smooth, noisy := make([]float64, 60), make([]float64, 60)
	for i := range inputs {
		inputs[i] = []float64{s.Float64(), s.Float64(), s.Float64()}
		smooth[i] = math.Sin(6*inputs[i][1]) * math.Sqrt2
		noisy[i] = smooth[i] + 0.5*s.Normal()
	}
	g := fitGaussianProcess(make([]bool, 3), inputs, smooth)
	if l := g.kernel.lengths; l[1]*4 > math.Min(l[0], l[2]) {
		t.Errorf("lengths %v: the second one's should be by far the shortest", l)
	}
	if g.noise*g.scale > 1e-3 {
		t.Errorf("noise of variance %v where there is none", g.noise*g.scale)
	}
	g = fitGaussianProcess(make([]bool, 3), inputs, noisy)
	if v := g.noise * g.scale; v < 0.1 || v > 0.5 {
		t.Errorf("noise of variance %v, want about 0.25", v)
	}
	if g := fitGaussianProcess(make([]bool, 3), inputs, make([]float64, 60)); g != nil {
		t.Errorf("a process of outputs that are all the same: %+v", g.kernel)
	}
}
