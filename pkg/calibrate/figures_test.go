// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestFiguresAreMeansAndInterpolatedPercentiles(t *testing.T) {
	all := []Times{
		times(0, 4e9, 4e9, 1), // one token: no TPOT
		times(0, 1e9, 3e9, 5),
		times(1e9, 3e9, 11e9, 9),
		times(0, 3e9, 3.2e9, 2),
	}
	want := Figures{
		TTFT: {2.5, 2.5, 3.7, 3.85, 3.97},
		TPOT: {1.7 / 3, 0.5, 0.9, 0.95, 0.99},
		E2E:  {5.05, 3.6, 8.2, 9.1, 9.82},
	}
	if diff := cmp.Diff(want, FiguresOf(all), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("figures (−want +got):\n%s", diff)
	}
	if f := FiguresOf(all[:1]); !math.IsNaN(f[TPOT][Mean]) || f[E2E][P99] != 4 {
		t.Errorf("figures of one request of one token: %v", f)
	}
}

func TestErrorsAreSharesOfWhatWasMeasured(t *testing.T) {
	measured, predicted := Figures{TTFT: {Mean: 2}}, Figures{TTFT: {Mean: 1.5}}
	if got := Errors(predicted, measured)[TTFT][Mean]; got != -0.25 {
		t.Errorf("error %v, want −0.25", got)
	}
}

func TestTheLossIsWhatItsFormulaSays(t *testing.T) {
	measured := []Times{times(0, 1e9, 3e9, 3), times(0, 1e9, 3e9, 3)}
	off := times(0, 1.1e9, 3.3e9, 3) // all a tenth longer
	p := predictionOf([][]Times{{off, off}}, 0, 2)
	if got, want := p.distance(measured, FiguresOf(measured)), 10+0.1*(10+10); math.Abs(got-want) > 1e-9 {
		t.Errorf("distance %v, want %v", got, want)
	}
	usual := ownCoefficients
	twice, half := usual, usual
	twice[layerOverhead] *= 2
	twice[memoryShare] /= 3 // shares are not pulled
	half[tokenOverhead] /= 4
	f := &fit{axes: five, usual: usual.point(five)}
	for c, want := range map[coefficients]float64{usual: 0, twice: 0.1, half: 0.4} {
		if got := f.pull(c.point(five)); math.Abs(got-want) > 1e-9 {
			t.Errorf("pull %v, want %v", got, want)
		}
	}
}
