// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Options say how scenarios are played.
type Options struct {
	// Seeds are those of the prediction. CauseSeeds is how many of them an assumption is tried with, and ForecastSeeds how
	// many a forecast has.
	Seeds                     []int64
	CauseSeeds, ForecastSeeds int
	// Parallelism is how many simulations run at once.
	Parallelism int
	// Progress receives how many simulations of the prediction have ended, by one goroutine at a time;
	// nil if it is not needed.
	Progress func(done int)
}

// A Prediction is the figures of a scenario by seed.
type Prediction []Figures

// Predict plays a scenario under seeds.
func Predict(ctx context.Context, stage *Stage, maker Maker, seeds []int64, a Assumptions, measures []Measure, o *Options) (Prediction, error) {
	prediction := make(Prediction, len(seeds))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, o.Parallelism))
	var done progress
	for i, seed := range seeds {
		group.Go(func() error {
			recording, err := stage.Play(ctx, maker, seed, a)
			if err != nil {
				return err
			}
			prediction[i], _ = stage.Window.Figures(recording, measures)
			done.add(o.Progress)
			return nil
		})
	}
	return prediction, group.Wait()
}

// progress counts what is done.
type progress struct {
	sync.Mutex
	done int
}

// add counts one more, and tells.
func (p *progress) add(tell func(int)) {
	p.Lock()
	defer p.Unlock()
	p.done++
	if tell != nil {
		tell(p.done)
	}
}

// values are those of a measure in an hour, of the seeds that have one.
func (p Prediction) values(measure string, hour int) []float64 {
	var values []float64
	for _, figures := range p {
		if f := figures[measure][hour]; f != nil {
			values = append(values, f.Value)
		}
	}
	return values
}

// mean is that of a measure over seeds and hours; ok is false where there is no value.
func (p Prediction) mean(measure string) (mean float64, ok bool) {
	sum, n := 0.0, 0.0
	for _, figures := range p {
		for _, f := range figures[measure] {
			if f != nil {
				sum += f.Value
				n++
			}
		}
	}
	if n == 0 {
		return 0, false
	}
	return sum / n, true
}
