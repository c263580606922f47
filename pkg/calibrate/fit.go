// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Options says how a fit is done.
type Options struct {
	// Workers is how many replays run at once; less than 1 means 1. The
	// result does not depend on it.
	Workers int
	// Generations is how long the search lasts; 0 means DefaultGenerations.
	// Fewer are for a look, not for a result.
	Generations int
	// NoPull leaves the pull out of the loss.
	NoPull bool
	// Progress receives how many replays of how many are done; nil if the caller does
	// not need it. Calls do not overlap.
	Progress func(done, total int)
}

// DefaultGenerations is long enough that more change nothing above the noise.
const DefaultGenerations = 100

const (
	// generationSize is how many coefficients are tried side by side.
	generationSize = 12
	// The later half of a search averages over more replays: it has to tell
	// apart what the earlier half leaves.
	earlyReplays, lateReplays = 2, 6
)

// Fit searches for the coefficients whose replays of the runs are nearest to
// what was measured; loss.go says what near is. All runs share the
// coefficients, but for those that a run gives and those that depend on the number of
// GPUs, and of each only the first Fitted
// requests count, although all are replayed. The shares of FLOP/s in prefill and
// decode are one value. The latency of a collective and the share of the link's
// rate are fitted where there are several GPUs and no measured all-reduce, the
// efficiency of experts where there are experts; others stay
// as they usually are. It is an error
// if a run has no requests, if the engine refuses one, or if ctx is cancelled.
func Fit(ctx context.Context, runs []*Run, o Options) (*Fitted, error) {
	f, err := newFit(runs, o)
	if err != nil {
		return nil, err
	}
	if len(f.axes) == 0 {
		return &Fitted{runs: runs}, nil
	}
	search := newEvolution("calibrate/search", f.usual, f.axes.of(spread), generationSize)
	for g := range f.options.Generations {
		all := search.generation(generationSize)
		if err := f.judge(ctx, all, f.replays(g)); err != nil {
			return nil, err
		}
		search.adapt(all)
	}
	values, _ := at(search.mean, f.axes)
	result := &Fitted{runs: runs, axes: f.axes, values: f.axes.rounded(values)}
	result.Undetermined, err = f.undetermined(ctx, search.mean)
	return result, err
}

// spread is the standard deviation of the first generation, in logarithms: a
// tenth or two of a share, half or twice an overhead.
var spread = coefficients{
	memoryShare:      0.15,
	flopsShare:       0.2,
	layerOverhead:    0.7,
	tokenOverhead:    0.7,
	sequenceOverhead: 0.7,
	allReduceLatency: 0.7,
	expertShare:      0.2,
	linkShare:        0.2,
}

// fit is what the candidates of a search are judged by.
type fit struct {
	runs     []*Run
	options  Options
	axes     axes
	usual    point
	measured [][]Times // of each run, as far as it may be looked at
	figures  []Figures

	progress    sync.Mutex
	done, total int
}

func newFit(runs []*Run, o Options) (*fit, error) {
	if len(runs) == 0 {
		return nil, errors.New("no runs to fit")
	}
	if o.Generations == 0 {
		o.Generations = DefaultGenerations
	}
	f := &fit{runs: runs, options: o, axes: axesOf(runs)}
	for _, a := range f.axes {
		of := runs[slices.IndexFunc(runs, func(r *Run) bool {
			return r.Engine.leavesOpen(a.coefficient) && (a.gpus == 0 || a.gpus == r.Engine.TensorParallelism)
		})]
		f.usual = append(f.usual, stats.Log(usual(of.Engine.Instance)[a.coefficient]))
	}
	for _, r := range runs {
		if err := r.check(); err != nil {
			return nil, err
		}
		measured := r.Measured()
		f.measured = append(f.measured, measured[:min(r.fitted(), len(measured))])
		f.figures = append(f.figures, r.figures(0, r.fitted()))
	}
	for g := range o.Generations {
		f.total += generationSize * f.replays(g) * len(runs)
	}
	return f, nil
}

// replays is how many replays generation g is judged by.
func (f *fit) replays(g int) int {
	if g < f.options.Generations/2 {
		return earlyReplays
	}
	return lateReplays
}

// judge fills in the losses of a generation.
func (f *fit) judge(ctx context.Context, all []candidate, replays int) error {
	errs := make([]error, len(all))
	sideBySide(f.options.Workers, len(all), func(i int) {
		all[i].value, errs[i] = f.loss(ctx, all[i].at, replays)
	})
	// All candidates fail alike.
	return cmp.Or(errs...)
}

// loss returns the mean loss of the runs at a point. A point outside the bounds
// has the loss of the nearest one inside and pays for the way.
func (f *fit) loss(ctx context.Context, x point, replays int) (float64, error) {
	values, outside := at(x, f.axes)
	sum := 0.0
	for i, r := range f.runs {
		p, err := f.predict(ctx, r, values, replays)
		if err != nil {
			return 0, err
		}
		sum += p.distance(f.measured[i], f.figures[i])
		f.count(replays)
	}
	loss := sum/float64(len(f.runs)) + float64(outsideWeight*outside)
	if !f.options.NoPull {
		loss += f.pull(x)
	}
	return loss, nil
}

// predict replays a run with values on the axes.
func (f *fit) predict(ctx context.Context, r *Run, values []float64, replays int) (prediction, error) {
	c := f.axes.coefficients(values, r.Engine.TensorParallelism).roofline(r.Engine.Instance)
	all, err := r.replays(ctx, c, firstFitReplay, replays, 1)
	if err != nil {
		return prediction{}, err
	}
	return predictionOf(all, r.warmUp, r.fitted()), nil
}

// outsideWeight makes one percent beyond a bound cost one percent of loss.
const outsideWeight = 1e4

func (f *fit) count(replays int) {
	f.progress.Lock()
	defer f.progress.Unlock()
	f.done += replays
	if f.options.Progress != nil {
		f.options.Progress(f.done, f.total)
	}
}
