// SPDX-License-Identifier: Apache-2.0

package live

import (
	"cmp"
	"io"
	"net/http"
	"slices"

	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/pkg/live/load"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// logBlockTokens is the size of the blocks in which a log says what prompts share.
const logBlockTokens = 16

// statusHungUp is what gateways log for a client that does not wait for the answer.
const statusHungUp = 499

// registerLog defines --log.
func (o *loadOptions) registerLog(f *pflag.FlagSet) {
	f.StringVar(&o.log, "log", "", "`FILE` to write the requests and how they were served to, as a trace that windtunnel compare --log reads")
}

// servedLog holds requests that have ended. They end in another order than that of a trace.
type servedLog struct {
	labels workload.Labels
	all    []load.Outcome
}

func (l *servedLog) add(o *load.Outcome) {
	of := load.Outcome{Request: o.Request, RequestEnd: o.RequestEnd}
	of.Request.Arrival = o.Arrival
	l.all = append(l.all, of)
}

// write writes the requests in the order in which they were sent.
func (l *servedLog) write(w io.Writer) error {
	out, err := trace.NewRequestWriter(w, l.labels, logBlockTokens)
	if err != nil {
		return err
	}
	slices.SortFunc(l.all, func(a, b load.Outcome) int { return cmp.Or(cmp.Compare(a.Arrival, b.Arrival), a.ID-b.ID) })
	for i := range l.all {
		if err := out.WriteServed(&l.all[i].Request, served(&l.all[i])); err != nil {
			return err
		}
	}
	return out.Close()
}

// served is how a request was served; a log says nothing of one that was cut off.
func served(o *load.Outcome) trace.Outcome {
	of := trace.Outcome{Status: http.StatusInternalServerError, E2E: o.End.Sub(o.Arrival)}
	switch o.Ended {
	case "completed":
		of.Status, of.TTFT = http.StatusOK, o.FirstToken.Sub(o.Arrival)
		if o.Scheduled {
			of.Cached = new(int32(o.CachedTokens))
		}
	case "rejected":
		of.Status = http.StatusTooManyRequests
	case "timed out":
		of.Status = statusHungUp
	case "unfinished":
		return trace.Outcome{}
	}
	return of
}
