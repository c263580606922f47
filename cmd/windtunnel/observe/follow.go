// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/observe"
)

// followOptions are the flags of observe --follow.
type followOptions struct {
	on       bool
	between  time.Duration
	proposal string
	listen   string
}

const (
	// followedWindow is how long the window of a look lasts, unless --last says otherwise.
	followedWindow = 5 * time.Minute
	// heldSeeds is how many times the seeds of a forecast those have that windows are held against. A rate of false alarms of a
	// day needs the tails of figures, of which few seeds know little, so that drift would be found late.
	heldSeeds = 3
	// keptLooks is how long looks are kept.
	keptLooks = 24 * time.Hour
)

func (o *followOptions) register(f *pflag.FlagSet) {
	f.BoolVar(&o.on, "follow", false, "look again and again until the command is stopped: hold the last --last (default 5m) against the prediction, and forecast the next")
	f.DurationVar(&o.between, "between", time.Minute, "with --follow, the time between two looks")
	f.StringVar(&o.proposal, "propose", "", "with --follow, `FILE` with the EPP configuration of a proposal, which is forecast too")
	f.StringVar(&o.listen, "listen", "127.0.0.1:9095", "with --follow, `ADDRESS` that serves /metrics, and the looks of the last day as /looks")
}

// rules say what --follow goes together with.
func (o *followOptions) rules() []cli.FlagRule {
	return []cli.FlagRule{
		{Flag: "follow", Why: "looks at what is measured now", Needs: []string{"prometheus"}, Without: []string{"from", "to", "every", "play", "textfile"}},
		{Flag: "between", Needs: []string{"follow"}},
		{Flag: "propose", Needs: []string{"follow"}},
		{Flag: "listen", Needs: []string{"follow"}},
	}
}

// follow looks again and again until the context ends.
func (o *observeOptions) follow(ctx context.Context, of *observed, stdout, stderr io.Writer) error {
	if _, err := o.measured.client(); err != nil {
		return cli.BadInput(err)
	}
	if _, err := o.measured.window(time.Now()); err != nil {
		return cli.BadInput(err)
	}
	looks := &kept{}
	twin := &observe.Twin{Propose: of.propose, Observer: observe.Observer{
		Run: of.Name, Make: of.make, WarmUp: of.warmUp, Rules: o.rules.PerLook(o.followed.between),
		Options: observe.Options{Seeds: of.seedsFrom(0, heldSeeds*o.seeds), ForecastSeeds: o.seeds, CauseSeeds: causeSeeds, Parallelism: o.Parallelism},
	}}
	listener, err := net.Listen("tcp", o.followed.listen)
	if err != nil {
		return cli.BadInput(fmt.Errorf("--listen: %w", err))
	}
	server := &http.Server{Handler: looks.handler(), ReadHeaderTimeout: 10 * time.Second}
	go server.Serve(listener) //nolint:errcheck // it ends with the listener
	defer server.Close()
	fmt.Fprintf(stderr, "http://%s/metrics and /looks have what each look finds\n", listener.Addr())
	ticks := time.NewTicker(o.followed.between)
	defer ticks.Stop()
	for {
		err := o.look(ctx, twin, looks, stdout)
		if short := (*observe.NoTrafficError)(nil); errors.As(err, &short) {
			return cli.BadInput(err) // each look would say so
		}
		if err != nil && ctx.Err() == nil {
			looks.fail()
			fmt.Fprintf(stderr, "windtunnel: %v\n", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
	}
}

// look looks once.
func (o *observeOptions) look(ctx context.Context, twin *observe.Twin, looks *kept, stdout io.Writer) error {
	window, recording, err := o.measured.read(ctx)
	if err != nil {
		return err
	}
	look, err := twin.Look(ctx, window, recording)
	if err != nil {
		return err
	}
	if err := looks.add(look); err != nil {
		return err
	}
	if o.Output != cli.Table {
		return o.Output.Write(stdout, look)
	}
	fmt.Fprintln(stdout, look)
	return nil
}

// kept are the looks of the last day. They may be asked for while one is added.
type kept struct {
	mu      sync.Mutex
	looks   []keptLook
	failed  int
	metrics bytes.Buffer
}

// keptLook is a look as JSON, which no answer has to make again, and the end of its window.
type keptLook struct {
	to   time.Time
	text json.RawMessage
}

func (k *kept) add(l *observe.Look) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.looks = append(k.looks, keptLook{l.Report.To, text})
	for l.Report.To.Sub(k.looks[0].to) > keptLooks {
		k.looks = k.looks[1:]
	}
	k.metrics.Reset()
	return l.WriteMetrics(&k.metrics)
}

// write writes the looks as a list. They do not change, so a slow reader holds nothing up.
func (k *kept) write(w io.Writer) error {
	k.mu.Lock()
	looks := k.looks
	k.mu.Unlock()
	out := bufio.NewWriter(w)
	_ = out.WriteByte('[') // Flush has the error
	for i, l := range looks {
		if i > 0 {
			_ = out.WriteByte(',')
		}
		_, _ = out.Write(l.text)
	}
	_, _ = out.WriteString("]\n")
	return out.Flush()
}

// fail counts a look that found nothing.
func (k *kept) fail() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.failed++
}

func (k *kept) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		k.mu.Lock()
		text := bytes.Clone(k.metrics.Bytes())
		failed := k.failed
		k.mu.Unlock()
		_, _ = w.Write(text)
		fmt.Fprintf(w, "# HELP windtunnel_look_errors_total Looks at the cluster that found nothing, such as of a Prometheus that does not answer.\n# TYPE windtunnel_look_errors_total counter\nwindtunnel_look_errors_total %d\n", failed)
	})
	mux.HandleFunc("GET /looks", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = k.write(w) // the reader has gone
	})
	return mux
}
