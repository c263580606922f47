// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/stats"
)

const (
	// sensitivityStep is how far a coefficient is moved to see what follows, in logarithms,
	// sensitivityReplays how many replays say it.
	sensitivityStep    = 0.1
	sensitivityReplays = 6
	// figureError is how well the figures are taken to be known: the noise of a replay.
	figureError = 0.005
	// undeterminedError is the standard deviation of a coefficient's logarithm from which on it
	// is undetermined: a quarter of it.
	undeterminedError = 0.2231
	// together is the correlation from which on two coefficients make up for each other.
	together = 0.5
)

// undetermined says which coefficients the runs leave undetermined around a point: those that
// change nothing, and those whose change others make up for.
//
// It takes the figures as linear in the logarithms of the coefficients, known to figureError,
// and each logarithm as known to 1 beforehand. The covariance of the logarithms is then the
// inverse of SᵀS ÷ figureError² + 1, where S has the sensitivities.
func (f *fit) undetermined(ctx context.Context, x point) ([]string, error) {
	columns := make([][]float64, len(x))
	errs := make([]error, len(x))
	sideBySide(f.options.Workers, len(x), func(k int) { columns[k], errs[k] = f.sensitivity(ctx, x, k) })
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	covariance := covarianceOf(columns)
	var silent []int
	var all []string
	said := map[[2]int]bool{}
	for k := range x {
		deviation := math.Sqrt(covariance[k][k])
		if deviation < undeterminedError {
			continue
		}
		others := correlated(covariance, k)
		switch {
		case len(others) == 0:
			silent = append(silent, k)
		case !said[[2]int{others[0], k}]:
			said[[2]int{k, others[0]}] = true
			all = append(all, fmt.Sprintf("%s may be off by %.0f %%: a change of it looks like one of %s. %s.",
				f.axes.name(k), 100*(stats.Exp(deviation)-1), f.axes.named(others), f.mend(k)))
		}
	}
	if len(silent) > 0 {
		all = append(all, fmt.Sprintf("The runs hardly depend on %s. The fit leaves each near its usual value. %s.", f.axes.named(silent), f.mendAll(silent)))
	}
	return all, nil
}

// covarianceOf is that of the logarithms of coefficients whose sensitivities are columns.
func covarianceOf(columns [][]float64) [][]float64 {
	n := len(columns)
	information, inverse := make([][]float64, n), make([][]float64, n)
	for i := range n {
		information[i], inverse[i] = make([]float64, n), make([]float64, n)
		information[i][i], inverse[i][i] = 1, 1
		for j := range n {
			for r := range columns[i] {
				information[i][j] += float64(columns[i][r] / figureError * columns[j][r] / figureError)
			}
		}
	}
	// Gauss and Jordan. The matrix is positive definite, so that no pivot is 0.
	for i := range n {
		pivot := information[i][i]
		scale(information[i], 1/pivot)
		scale(inverse[i], 1/pivot)
		for j := range n {
			if by := information[j][i]; j != i {
				takeAway(information[j], information[i], by)
				takeAway(inverse[j], inverse[i], by)
			}
		}
	}
	return inverse
}

func scale(row []float64, by float64) {
	for i := range row {
		row[i] *= by
	}
}

func takeAway(from, row []float64, by float64) {
	for i := range from {
		from[i] -= float64(by * row[i])
	}
}

// correlated are the coefficients that make up most for a change of another one: two at most.
func correlated(covariance [][]float64, k int) []int {
	with := func(j int) float64 {
		return math.Abs(covariance[j][k]) / math.Sqrt(covariance[j][j]*covariance[k][k])
	}
	var all []int
	for j := range covariance {
		if j != k && with(j) > together {
			all = append(all, j)
		}
	}
	slices.SortStableFunc(all, func(i, j int) int { return cmp.Compare(with(j), with(i)) })
	return all[:min(len(all), 2)]
}

// sensitivity is by how much the figures of all runs change with a coefficient, for a change
// of its logarithm by 1: relative errors, each with the root of its weight.
func (f *fit) sensitivity(ctx context.Context, x point, k int) ([]float64, error) {
	var sides [2][]float64
	var moved [2]float64
	for side, sign := range []float64{-1, 1} {
		to := slices.Clone(x)
		to[k] += float64(sign * sensitivityStep)
		values, _ := at(to, f.axes)
		moved[side] = stats.Log(values[k])
		for i, r := range f.runs {
			p, err := f.predict(ctx, r, values, sensitivityReplays)
			if err != nil {
				return nil, err
			}
			sides[side] = append(sides[side], weighted(p.figures, f.figures[i], len(f.runs))...)
		}
	}
	column := make([]float64, len(sides[0]))
	for i := range column {
		column[i] = (sides[1][i] - sides[0][i]) / (moved[1] - moved[0])
	}
	return column, nil
}

// weighted are the relative errors of a run's figures as the loss of a number of runs weighs them.
func weighted(predicted, measured Figures, runs int) []float64 {
	var all []float64
	total := 0.0
	for m, statistics := range Errors(predicted, measured) {
		for s, e := range statistics {
			if weights[s] == 0 || math.IsNaN(measured[m][Mean]) || math.IsNaN(measured[m][s]) {
				continue
			}
			all = append(all, math.Sqrt(weights[s])*e)
			total += weights[s]
		}
	}
	for i := range all {
		all[i] /= math.Sqrt(total * float64(runs))
	}
	return all
}

// name is a coefficient's name for the user.
func (a axes) name(k int) string {
	name := [len(coefficients{})]string{
		memoryShare: memoryName, flopsShare: "the share of FLOP/s",
		layerOverhead: layerName, tokenOverhead: tokenName, sequenceOverhead: sequenceName,
		allReduceLatency: allReduceName, expertShare: expertName, linkShare: "linkEfficiency",
	}[a[k].coefficient]
	if gpus := a[k].gpus; gpus > 0 {
		return fmt.Sprintf("%s at tensor parallelism %d", name, gpus)
	}
	return name
}

// named are the names of several coefficients.
func (a axes) named(several []int) string {
	var names []string
	for _, k := range several {
		names = append(names, a.name(k))
	}
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return names[0]
}
