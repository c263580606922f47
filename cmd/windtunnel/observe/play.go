// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"cmp"
	"context"
	"io"
	"time"

	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/observe"
)

// playOptions are the flags of observe --play.
type playOptions struct {
	file     string
	interval time.Duration
}

func (o *playOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.file, "play", "", "`FILE` to write samples to that a Prometheus would have of one simulation, under a seed that no prediction has, in place of an observation")
	f.DurationVar(&o.interval, "scrape-interval", 15*time.Second, "with --play, the time between two samples")
}

// playedFrom is when samples begin that are played, unless --from says otherwise.
const playedFrom = "2026-01-05T08:00:00Z"

// play writes what would have been scraped of one more simulation.
func (o *observeOptions) play(ctx context.Context, of *observed, stdout io.Writer) error {
	from, err := timeFlag("--from", cmp.Or(o.measured.from, playedFrom))
	if err != nil {
		return cli.BadInput(err)
	}
	every := cmp.Or(o.measured.every, o.measured.last, time.Hour)
	w, err := observe.NewWindow(from, from.Add(cmp.Or(o.measured.last, every)), every, o.played.interval)
	if err != nil {
		return cli.BadInput(err)
	}
	stage := observe.Stage{Window: w, WarmUp: observe.WarmUp(of.warmUp, of.period, w.Every), ByReplica: true}
	recording, err := stage.Play(ctx, of.make, of.seedsFrom(mostObserved, 1)[0], observe.AsStated())
	if err != nil {
		return observationError(err)
	}
	return cli.BadInput(cli.WriteOutput(stdout, o.played.file, recording.Write))
}
