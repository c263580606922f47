// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
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
	looks := &kept{}
	twin := &observe.Twin{
		Run: of.Name, Make: of.make, Propose: of.propose, WarmUp: of.warmUp, Period: of.period, Between: o.followed.between,
		Rules: o.rules, Options: observe.Options{Seeds: of.seedsFrom(0, o.seeds), CauseSeeds: causeSeeds, Parallelism: o.Parallelism},
	}
	o.measured.last = cmp.Or(o.measured.last, followedWindow)
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
		if err := o.look(ctx, twin, looks, stdout); err != nil && ctx.Err() == nil {
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
	looks.add(look)
	if o.Output != cli.Table {
		return o.Output.Write(stdout, look)
	}
	fmt.Fprintln(stdout, look)
	return nil
}

// kept are the looks of the last day. They may be asked for while one is added.
type kept struct {
	mu      sync.Mutex
	looks   []*observe.Look
	failed  int
	metrics bytes.Buffer
}

func (k *kept) add(l *observe.Look) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.looks = append(k.looks, l)
	for l.Report.To.Sub(k.looks[0].Report.To) > keptLooks {
		k.looks = k.looks[1:]
	}
	k.metrics.Reset()
	_ = l.WriteMetrics(&k.metrics) // a buffer takes everything
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
		k.mu.Lock()
		text, err := json.Marshal(k.looks)
		k.mu.Unlock()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = w.Write(text)
	})
	return mux
}
