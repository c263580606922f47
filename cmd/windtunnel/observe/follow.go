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
	"k8s.io/apimachinery/pkg/types"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cluster"
	"windtunnel.dev/windtunnel/pkg/kubectl"
	"windtunnel.dev/windtunnel/pkg/observe"
)

// followOptions are the flags of observe --follow.
type followOptions struct {
	on       bool
	between  time.Duration
	proposal string
	listen   string
	// pool is the InferencePool that is read at each look; "" is none.
	pool string
	// condition says that the run has condition Drifted.
	condition bool
}

const (
	// followedWindow is how long the window of a look lasts, unless --last says otherwise.
	followedWindow = 5 * time.Minute
	// heldSeeds is how many times the seeds of a forecast those have that windows are held against. A rate of false alarms of a
	// day needs the tails of figures, of which few seeds know little, so that drift would be found late.
	heldSeeds = 3
	// keptLooks is how long looks are kept, and mostLooks how many: each takes some 15 kB.
	keptLooks = 24 * time.Hour
	mostLooks = 5000
)

func (o *followOptions) register(f *pflag.FlagSet) {
	f.BoolVar(&o.on, "follow", false, "look again and again until the command is stopped: hold the last --last (default 5m) against the prediction, and forecast the next")
	f.DurationVar(&o.between, "between", time.Minute, "with --follow, the time between two looks")
	f.StringVar(&o.proposal, "propose", "", "with --follow, `FILE` with the EPP configuration of a proposal, which is forecast too")
	f.StringVar(&o.pool, "inference-pool", "", "with --follow, `NAME` of an InferencePool: each look takes the configuration of its EPP and the replicas that are ready from the cluster")
	f.BoolVar(&o.condition, "condition", false, "with --follow, write condition Drifted into the status of the SimulationRun")
	f.StringVar(&o.listen, "listen", "127.0.0.1:9095", "with --follow, `ADDRESS` that serves /metrics, and the looks of the last day as /looks")
}

// rules say what --follow goes together with.
func (o *followOptions) rules() []cli.FlagRule {
	return []cli.FlagRule{
		{Flag: "follow", Why: "looks at what is measured now", Needs: []string{"prometheus"}, Without: []string{"from", "to", "every", "play", "textfile"}},
		{Flag: "between", Needs: []string{"follow"}},
		{Flag: "propose", Needs: []string{"follow"}},
		{Flag: "inference-pool", Needs: []string{"follow"}},
		{Flag: "condition", Needs: []string{"follow"}},
		{Flag: "listen", Needs: []string{"follow"}},
	}
}

// A follower looks at a cluster.
type follower struct {
	*observeOptions
	// of has the run as it was read, and scenario is its own one with what serves in the cluster, of which twin is.
	of       *observed
	scenario *v1alpha1.Scenario
	twin     *observe.Twin
	// cluster is where the run is, unless inFile, and the InferencePool; nil without either.
	cluster *cluster.Connection
	inFile  bool
	// changed is when the scenario changed last, and change says how; zero where it did not.
	changed time.Time
	change  string
	looks   kept
}

// follow looks again and again until the context ends.
func (o *observeOptions) follow(ctx context.Context, of *observed, inFile bool, stdout, stderr io.Writer) error {
	if _, err := o.measured.client(); err != nil {
		return cli.BadInput(err)
	}
	if _, err := o.measured.window(time.Now()); err != nil {
		return cli.BadInput(err)
	}
	f := &follower{observeOptions: o, of: of, inFile: inFile}
	if !inFile || o.followed.pool != "" {
		var err error
		if f.cluster, err = o.cluster.Connect(); err != nil {
			return err
		}
	}
	listener, err := net.Listen("tcp", o.followed.listen)
	if err != nil {
		return cli.BadInput(fmt.Errorf("--listen: %w", err))
	}
	server := &http.Server{Handler: f.looks.handler(), ReadHeaderTimeout: 10 * time.Second}
	go server.Serve(listener) //nolint:errcheck // it ends with the listener
	defer server.Close()
	fmt.Fprintf(stderr, "http://%s/metrics and /looks have what each look finds\n", listener.Addr())
	ticks := time.NewTicker(o.followed.between)
	defer ticks.Stop()
	for {
		err := f.look(ctx, stdout, stderr)
		if err != nil && ctx.Err() == nil {
			f.looks.fail()
			f.unknown(ctx, stderr, v1alpha1.ReasonLookFailed, err.Error())
			if short := (*observe.NoTrafficError)(nil); errors.As(err, &short) {
				return cli.BadInput(err) // each look would say so
			}
			fmt.Fprintf(stderr, "windtunnel: %v\n", err)
		}
		select {
		case <-ctx.Done():
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWrite)
			defer cancel()
			f.unknown(ctx, stderr, v1alpha1.ReasonStopped, "nothing looks at the cluster any more")
			return nil
		case <-ticks.C:
		}
	}
}

// lastWrite bounds the time in which a command that is stopped says so.
const lastWrite = 5 * time.Second

// look looks once. While the window has time from before a change, it waits.
func (f *follower) look(ctx context.Context, stdout, stderr io.Writer) error {
	if err := f.update(ctx, stderr); err != nil {
		return err
	}
	window, recording, err := f.measured.read(ctx)
	if err != nil {
		return err
	}
	if window.From.Before(f.changed) {
		text := fmt.Sprintf("%s; the next look is at %s", f.change, f.changed.Add(f.measured.last).Format(time.RFC3339))
		fmt.Fprintln(stderr, f.unknown(ctx, stderr, v1alpha1.ReasonChanged, text))
		return nil
	}
	look, err := f.twin.Look(ctx, window, recording)
	if err != nil {
		return err
	}
	if err := f.looks.add(look); err != nil {
		return err
	}
	f.report(ctx, stderr, conditionOf(look))
	if f.Output != cli.Table {
		return f.Output.Write(stdout, look)
	}
	fmt.Fprintln(stdout, look)
	return nil
}

// update reads the run and what serves, and makes another prediction where that changed.
func (f *follower) update(ctx context.Context, stderr io.Writer) error {
	if !f.inFile {
		object, err := kubectl.Find(ctx, f.cluster.Client, v1alpha1.SimulationRunKind, types.NamespacedName{Namespace: f.cluster.Namespace, Name: f.of.run.Name})
		if err != nil {
			return err
		}
		f.of.run = object.Run
	}
	run, before := f.of.run.DeepCopy(), f.scenario
	if f.followed.pool != "" {
		pool := servingPool{client: f.cluster.Client, key: types.NamespacedName{Namespace: f.cluster.Namespace, Name: f.followed.pool}}
		serving, err := pool.read(ctx)
		if err != nil {
			return err
		}
		if err := pool.take(&run.Spec.Scenario, serving); err != nil {
			f.wait(fmt.Sprintf("InferencePool %s can be predicted again", f.followed.pool))
			return err
		}
	}
	if before == nil {
		before = &f.of.run.Spec.Scenario
	}
	change := changes(before, &run.Spec.Scenario)
	if change == "" && f.twin != nil {
		return nil
	}
	scenario := run.Spec.Scenario.DeepCopy()
	of, err := f.observedRun(ctx, run, f.of.inputs)
	if err != nil {
		return err
	}
	if f.twin != nil {
		f.wait(change)
	} else if change != "" {
		fmt.Fprintf(stderr, "%s: %s\n", of.Name, change)
	}
	of.run, f.of, f.scenario = f.of.run, of, scenario
	f.twin = &observe.Twin{Propose: of.propose, Observer: observe.Observer{
		Run: of.Name, Make: of.make, WarmUp: of.warmUp, Rules: f.rules.PerLook(f.followed.between),
		Options: observe.Options{Seeds: of.seedsFrom(0, heldSeeds*f.seeds), ForecastSeeds: f.seeds, CauseSeeds: causeSeeds, Parallelism: f.Parallelism},
	}}
	return nil
}

// wait has looks wait until the window begins after now.
func (f *follower) wait(change string) {
	f.change, f.changed = change, time.Now().Truncate(time.Second).UTC()
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
	for l.Report.To.Sub(k.looks[0].to) > keptLooks || len(k.looks) > mostLooks {
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
