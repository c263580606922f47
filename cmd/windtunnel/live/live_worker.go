// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/cmd/windtunnel/operator"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/live/discovery"
	"windtunnel.dev/windtunnel/pkg/live/epp"
	"windtunnel.dev/windtunnel/pkg/live/load"
	"windtunnel.dev/windtunnel/pkg/live/rehearse"
	policy "windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/propose"
	"windtunnel.dev/windtunnel/pkg/worker"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// Bounds of what a replica says of a rehearsal.
const (
	recordTimeout = time.Minute
	recordBytes   = 1 << 26
)

// mostMoves is how many changes of the replicas a comparison states: a pod can report 4 KiB.
const mostMoves = 20

// liveWorkerOptions are the flags that worker has in addition in the pod of a live run.
type liveWorkerOptions struct {
	podOptions
	// epp and health are the addresses of the EPP in the pod, and spans that to which it sends its spans.
	epp, health, spans string
	// lastSpans is how long the last ones may take.
	lastSpans time.Duration
}

// NewLiveWorkerCommand is the verb worker of a live run.
func NewLiveWorkerCommand() *cobra.Command {
	o := liveWorkerOptions{lastSpans: 3 * time.Second}
	cmd := operator.NewLiveWorkerCommand(o.play)
	cmd.Short = "Play a live run in a Job's pod, and compare it with its simulation"
	cmd.Long = `Send the workload of a live run through the EPP in the same pod to replicas in other pods, compare
what it does with the simulation, write the result as a ConfigMap, and report its digest in the pod's
termination message. The operator sets the flags.`
	f := cmd.Flags()
	o.register(f)
	f.StringVar(&o.epp, "epp", "127.0.0.1:9002", "address of the EPP")
	f.StringVar(&o.health, "epp-health", "127.0.0.1:9003", "address of the EPP's health service")
	f.StringVar(&o.spans, "spans", "127.0.0.1:4317", "address to listen at for the EPP's spans (OTLP over gRPC)")
	return cmd
}

// play plays a case, and holds it against its simulation.
func (o *liveWorkerOptions) play(ctx context.Context, plan *experiment.Plan, traces trace.Set, of experiment.Case) (s experiment.Simulation, verdict store.Rehearsal, err error) {
	p, err := o.measure(ctx, plan, traces, of.Seed)
	if err != nil {
		return s, verdict, err
	}
	compared, err := p.compare(ctx)
	if err != nil {
		return s, verdict, err
	}
	return p.result(of, compared)
}

// measure plays a case.
func (o *liveWorkerOptions) measure(ctx context.Context, plan *experiment.Plan, traces trace.Set, seed int64) (*podPlay, error) {
	p := &podPlay{liveWorkerOptions: o, live: plan.Live}
	if err := p.start(ctx, plan, traces, seed); err != nil {
		return nil, err
	}
	moments, _, stop, err := epp.ListenForMoments(o.spans)
	if err != nil {
		return nil, fmt.Errorf("%w: --spans: %w", worker.ErrBadInput, err)
	}
	defer stop()
	if err := p.awaitEPP(ctx, plan); err != nil {
		return nil, err
	}
	if err := p.send(ctx); err != nil {
		return nil, err
	}
	select {
	case <-time.After(o.lastSpans):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p.take(moments)
	return p, nil
}

// podPlay is a play whose replicas and EPP the operator has started.
type podPlay struct {
	*liveWorkerOptions
	*play
	live     *experiment.Live
	services []discovery.Service
	// first are the replicas that the run begins with.
	first fleet
	// moved is how the replicas changed, and lost why notes of theirs are not whole; both are read when those who look
	// for the replicas have ended.
	moved moves
	lost  error
}

// moves are the changes of the number of replicas.
type moves struct {
	count int
	told  string
}

func (m *moves) add(before, after int) {
	if m.count == 0 {
		m.told = fmt.Sprint(before)
	}
	switch m.count++; {
	case m.count <= mostMoves:
		m.told += fmt.Sprintf(", then %d", after)
	case m.count == mostMoves+1:
		m.told += ", and so on"
	}
}

// start finds the replicas, which must be all that the plan has, and without a request behind them.
func (p *podPlay) start(ctx context.Context, plan *experiment.Plan, traces trace.Set, seed int64) error {
	run, err := plannedRun(plan, traces)
	if err != nil {
		return err
	}
	if p.services, err = p.liveWorkerOptions.services(p.live); err != nil {
		return err
	}
	served, err := new(scenarioOptions).poolsOf(run)
	if err != nil {
		return err
	}
	sent := loadOptions{epp: p.epp, api: string(load.Completions), speed: 1, seed: seed}
	m, err := sent.newMeasurement(run)
	if err != nil {
		return err
	}
	_, m.options.Objective = objectivesOf(served.priorities)
	if p.first, err = p.find(ctx, p.live, p.services); err != nil {
		return err
	}
	if missing := p.first.missing(p.live); missing != "" {
		return fmt.Errorf("%w: %s", worker.ErrBadInput, missing)
	}
	p.play = newPlay(m, sent, p.first.endpoints)
	for i, e := range p.first.endpoints {
		r, err := takeRecord(ctx, e)
		if err != nil {
			return err
		}
		if r.Requests > 0 {
			return fmt.Errorf("%w: replica %s has served requests before this run, and its cache is not that of the simulation", worker.ErrBadInput, e.Name)
		}
		p.notes.Add(i, r)
	}
	return epp.WriteEndpoints(p.folder, p.first.endpoints)
}

// awaitEPP waits until the EPP serves, and, if it reads KV events, reads those of all replicas.
func (p *podPlay) awaitEPP(ctx context.Context, plan *experiment.Plan) error {
	if err := epp.Await(ctx, p.health); err != nil {
		return fmt.Errorf("%w: the EPP does not serve at %s: %w", worker.ErrBadInput, p.health, err)
	}
	_, config, err := compile.PickerText(plan)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(policy.PreciseWirings(config), func(w policy.PreciseWiring) bool { return w.Hears }) {
		return nil
	}
	for _, e := range p.first.endpoints {
		answer, err := ask(ctx, e, http.MethodGet, readersPath)
		if err != nil {
			return fmt.Errorf("%w: %w", worker.ErrBadInput, err)
		}
		_ = answer.Close() // it has no text
	}
	return nil
}

// send sends the load, and tells the EPP of replicas that come and go.
func (p *podPlay) send(ctx context.Context) error {
	over := make(chan struct{})
	var follower sync.WaitGroup
	follower.Go(func() { p.follow(ctx, over) })
	defer follower.Wait()
	defer close(over)
	return p.play.send(ctx)
}

// follow writes the endpoints of the EPP anew where replicas come and go, and takes what the replicas note. A name server
// that does not answer changes nothing.
func (p *podPlay) follow(ctx context.Context, over <-chan struct{}) {
	tick := time.NewTicker(findInterval)
	defer tick.Stop()
	for last := p.first; ; {
		select {
		case <-over:
			return
		case <-tick.C:
		}
		found, err := p.find(ctx, p.live, p.services)
		if err == nil && !found.equal(&last) && epp.WriteEndpoints(p.folder, found.endpoints) == nil {
			p.moved.add(len(last.endpoints), len(found.endpoints))
			last = found
		} // otherwise it is tried again at the next tick
		p.takeNotes(ctx) // behind that: a replica that is gone may not answer for a minute
	}
}

// takeNotes takes what the replicas noted, unless they have changed, or an answer was lost before.
func (p *podPlay) takeNotes(ctx context.Context) {
	for i, e := range p.first.endpoints {
		if p.moved.told != "" || p.lost != nil {
			return
		}
		var r *rehearse.Record
		if r, p.lost = takeRecord(ctx, e); p.lost != nil {
			return
		}
		if p.notes.Add(i, r); r.Forgotten {
			p.lost = fmt.Errorf("replica %s noted more than it keeps until it is asked", e.Name)
		}
	}
}

// compare holds the run against its simulation.
func (p *podPlay) compare(ctx context.Context) (*rehearsal, error) {
	switch p.takeNotes(ctx); {
	case p.moved.told != "":
		p.notes = rehearse.NewNotes(len(p.first.endpoints), 0) // those of replicas that have gone are not whole
	case p.lost != nil:
		return nil, p.lost
	}
	return p.recording().compare(ctx, p.measurement, rehearse.DefaultLimits(), p.moved.told)
}

// result is the row of the run, with the comparison beside it.
func (p *podPlay) result(of experiment.Case, compared *rehearsal) (experiment.Simulation, store.Rehearsal, error) {
	plan := p.run.Plan
	criteria, errs := plan.Criteria(nil)
	if len(errs) > 0 {
		return experiment.Simulation{}, store.Rehearsal{}, errs.ToAggregate()
	}
	s := experiment.Simulation{Row: p.row}
	s.Row.Key, s.Row.Point, s.Row.Share = plan.CaseKey(of, criteria.Metrics()), of.Point.ID, of.Share
	s.Rehearsal, _ = propose.Pack(compared)
	return s, store.Rehearsal{Within: compared.Within, Message: compared.sentence()}, nil
}

// takeRecord takes what a replica noted since it was asked before.
func takeRecord(ctx context.Context, e epp.Endpoint) (*rehearse.Record, error) {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	answer, err := ask(ctx, e, http.MethodPost, recordPath)
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	var r rehearse.Record
	if err := json.NewDecoder(io.LimitReader(answer, recordBytes)).Decode(&r); err != nil {
		return nil, fmt.Errorf("ask replica %s what it noted: %w", e.Name, err)
	}
	return &r, nil
}

// ask returns the answer of a replica at a path of rehearsals.
func ask(ctx context.Context, e epp.Endpoint, method, path string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://"+e.Address.String()+path, nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask replica %s: %w", e.Name, err)
	}
	if answer.StatusCode != http.StatusOK {
		defer answer.Body.Close()
		why, _ := io.ReadAll(io.LimitReader(answer.Body, 1024)) // the status says enough where this fails
		return nil, fmt.Errorf("ask replica %s: status %s: %s", e.Name, answer.Status, strings.TrimSpace(string(why)))
	}
	return answer.Body, nil
}
