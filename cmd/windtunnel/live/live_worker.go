// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
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
	"windtunnel.dev/windtunnel/pkg/propose"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/worker"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// Bounds of what a replica says of a rehearsal.
const (
	recordTimeout = time.Minute
	recordBytes   = 1 << 30
)

// mostMoves is how many changes of the replicas a comparison states: a pod can report 4 KiB.
const mostMoves = 20

// liveWorkerOptions are the flags that worker has in addition in the pod of a live run.
type liveWorkerOptions struct {
	podOptions
	// epp and health are the addresses of the EPP in the pod.
	epp, health string
}

// NewLiveWorkerCommand is the verb worker of a live run.
func NewLiveWorkerCommand() *cobra.Command {
	var o liveWorkerOptions
	cmd := operator.NewLiveWorkerCommand(o.play)
	cmd.Short = "Play a live run in a Job's pod, and compare it with its simulation"
	cmd.Long = `Send the workload of a live run through the EPP in the same pod to replicas in other pods, compare
what it does with the simulation, write the result as a ConfigMap, and report its digest in the pod's
termination message. The operator sets the flags.`
	f := cmd.Flags()
	o.register(f)
	f.StringVar(&o.epp, "epp", "127.0.0.1:9002", "address of the EPP")
	f.StringVar(&o.health, "epp-health", "127.0.0.1:9003", "address of the EPP's health service")
	return cmd
}

// play plays a case, and holds it against its simulation.
func (o *liveWorkerOptions) play(ctx context.Context, plan *experiment.Plan, traces trace.Set, of experiment.Case) (experiment.Simulation, store.Rehearsal, error) {
	p, err := o.newPlay(ctx, plan, traces, of)
	if err != nil {
		return experiment.Simulation{}, store.Rehearsal{}, err
	}
	if err := epp.Await(ctx, o.health); err != nil {
		return experiment.Simulation{}, store.Rehearsal{}, fmt.Errorf("%w: the EPP does not serve at %s: %w", worker.ErrBadInput, o.health, err)
	}
	if err := p.awaitReaders(ctx, plan); err != nil {
		return experiment.Simulation{}, store.Rehearsal{}, err
	}
	if err := p.send(ctx); err != nil {
		return experiment.Simulation{}, store.Rehearsal{}, err
	}
	compared, err := p.compare(ctx)
	if err != nil {
		return experiment.Simulation{}, store.Rehearsal{}, err
	}
	return p.result(of, compared)
}

// play is a live run under way.
type play struct {
	*liveWorkerOptions
	live     *experiment.Live
	services []discovery.Service
	// start are the replicas that the run begins with.
	start    fleet
	options  rehearseOptions
	measured *measurement
	choices  *rehearse.Choices
	scrapes  *rehearse.Scrapes
	// moved is how the replicas changed; it is read when those who look for them have ended.
	moved moves
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

// newPlay finds the replicas, which must be all that the plan has, and without a request behind them.
func (o *liveWorkerOptions) newPlay(ctx context.Context, plan *experiment.Plan, traces trace.Set, of experiment.Case) (*play, error) {
	p := &play{liveWorkerOptions: o, live: plan.Live}
	run, err := plannedRun(plan, traces)
	if err != nil {
		return nil, err
	}
	if p.services, err = o.services(plan.Live); err != nil {
		return nil, err
	}
	served, err := new(scenarioOptions).poolsOf(run)
	if err != nil {
		return nil, err
	}
	if objectives, _ := objectivesOf(served.priorities); objectives != nil {
		return nil, fmt.Errorf("%w: requests of the workload have priorities, and the EPP of a live run reads no InferenceObjectives, in which priorities are", worker.ErrBadInput)
	}
	p.options.limits = rehearse.DefaultLimits()
	p.options.load = loadOptions{epp: o.epp, api: string(load.Completions), speed: 1, seed: of.Seed}
	if p.measured, err = p.options.load.newMeasurement(run); err != nil {
		return nil, err
	}
	if p.start, err = o.find(ctx, p.live, p.services); err != nil {
		return nil, err
	}
	if missing := p.start.missing(p.live); missing != "" {
		return nil, fmt.Errorf("%w: %s", worker.ErrBadInput, missing)
	}
	var addresses []string
	for _, e := range p.start.endpoints {
		r, err := record(ctx, e)
		if err != nil {
			return nil, err
		}
		if len(r.Times) > 0 {
			return nil, fmt.Errorf("%w: replica %s has served requests before this run, and its cache is not that of the simulation", worker.ErrBadInput, e.Name)
		}
		addresses = append(addresses, e.Address.String())
	}
	p.choices, p.scrapes = rehearse.NewChoices(addresses), rehearse.NewScrapes(len(addresses))
	return p, epp.WriteEndpoints(o.folder, p.start.endpoints)
}

// awaitReaders waits until the EPP reads the KV events of all replicas, if it reads any.
func (p *play) awaitReaders(ctx context.Context, plan *experiment.Plan) error {
	_, config, err := compile.PickerText(plan)
	if err != nil {
		return err
	}
	var read engineOptions
	if err := read.publishAsRead(config, 0); err != nil {
		return fmt.Errorf("%w: %w", worker.ErrBadInput, err)
	}
	if read.kvEvents == "" {
		return nil
	}
	for _, e := range p.start.endpoints {
		answer, err := ask(ctx, e, readersPath)
		if err != nil {
			return fmt.Errorf("%w: %w", worker.ErrBadInput, err)
		}
		_ = answer.Close() // it has no text
	}
	return nil
}

// send sends the load, and tells the EPP of replicas that come and go.
func (p *play) send(ctx context.Context) error {
	following, stop := context.WithCancel(ctx)
	var follower sync.WaitGroup
	follower.Go(func() { p.follow(following) })
	defer follower.Wait()
	defer stop()
	p.measured.began = func(start time.Time) { p.choices.Start = start }
	p.measured.heard = func(e *load.Outcome) { p.options.hear(p.measured, p.choices, e) }
	return p.measured.send(ctx, &p.options.load)
}

// follow writes the endpoints of the EPP anew where replicas come and go. A name server that does not
// answer changes nothing.
func (p *play) follow(ctx context.Context) {
	tick := time.NewTicker(findInterval)
	defer tick.Stop()
	for last := p.start; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		found, err := p.find(ctx, p.live, p.services)
		if err != nil || ctx.Err() != nil || found.equal(&last) {
			continue
		}
		if err := epp.WriteEndpoints(p.folder, found.endpoints); err != nil {
			continue // tried again at the next tick
		}
		p.moved.add(len(last.endpoints), len(found.endpoints))
		last = found
	}
}

// compare holds the run against its simulation. One whose replicas changed is held against a simulation
// whose replicas do not.
func (p *play) compare(ctx context.Context) (*rehearsal, error) {
	if p.moved.told != "" {
		simulated, err := rehearse.Alone(ctx, p.measured.simulation)
		if err != nil {
			return nil, err
		}
		compared := p.rehearsed(simulated)
		compared.Moved = p.moved.told
		return compared, nil
	}
	for i, e := range p.start.endpoints {
		r, err := record(ctx, e)
		if err != nil {
			return nil, err
		}
		r.Add(i, p.scrapes, &p.options.times)
	}
	simulated, err := rehearse.Compare(ctx, p.measured.simulation, p.choices, p.scrapes)
	if err != nil {
		return nil, err
	}
	return p.rehearsed(simulated), nil
}

func (p *play) rehearsed(s *rehearse.Simulated) *rehearsal {
	live := &recording{Metrics: []result.Metrics{p.options.times.Metrics(), p.measured.row.Metrics}, Client: p.measured.client(&p.options.load)}
	return p.options.rehearsed(p.measured.run, live, s)
}

// result is the row of the run, with the comparison beside it.
func (p *play) result(of experiment.Case, compared *rehearsal) (experiment.Simulation, store.Rehearsal, error) {
	plan := p.measured.run.Plan
	criteria, errs := plan.Criteria(nil)
	if len(errs) > 0 {
		return experiment.Simulation{}, store.Rehearsal{}, errs.ToAggregate()
	}
	s := experiment.Simulation{Row: p.measured.row}
	s.Row.Key, s.Row.Point, s.Row.Share = plan.CaseKey(of, criteria.Metrics()), of.Point.ID, of.Share
	s.Rehearsal, _ = propose.Pack(compared)
	return s, store.Rehearsal{Within: compared.Within, Message: compared.sentence()}, nil
}

// sentence says in one what the comparison gives.
func (r *rehearsal) sentence() string {
	said := []string{fmt.Sprintf("%.2f %% of decisions are equal or tied", 100*r.Share)}
	if r.Moved != "" {
		said[0] = "decisions are not compared, as the number of replicas changed: " + r.Moved
	}
	for _, f := range r.Figures {
		if f.Limit != nil {
			said = append(said, fmt.Sprintf("%s is %.1f %% apart", f.Metric, 100*f.Apart))
		}
	}
	verdict := "within the limits"
	if !r.Within {
		verdict = "not within the limits"
	}
	return strings.Join(said, ", ") + ": " + verdict
}

// record asks a replica what it noted.
func record(ctx context.Context, e epp.Endpoint) (*rehearse.Record, error) {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	answer, err := ask(ctx, e, recordPath)
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
func ask(ctx context.Context, e epp.Endpoint, path string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+e.Address.String()+path, nil)
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
