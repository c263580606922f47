// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/live/epp"
	"windtunnel.dev/windtunnel/pkg/live/load"
	"windtunnel.dev/windtunnel/pkg/live/ports"
	"windtunnel.dev/windtunnel/pkg/live/tokens"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

// setEngine sets what the flags of engine and load would.
func (o *rehearseOptions) setEngine() {
	e := &o.engine
	e.speed, e.maxLateness, e.addresses = o.speed, time.Second, []string{"127.0.0.1"}
	e.limits = ports.Limits{Connections: 4096, HeadTimeout: cli.HeadTimeout, IdleTimeout: 5 * time.Minute}
	e.server.PromptDetails, e.server.Tokenizer, e.server.Limits = true, tokens.Bytes4{}, defaultServerLimits()
	o.load.api, o.load.speed, o.load.seed = string(load.Completions), o.speed, -1
}

// picker is the EndpointPickerConfig of the EPP: its text, and what Windtunnel knows of it.
func (o *rehearseOptions) picker(plan *experiment.Plan) ([]byte, *config.Config, error) {
	text, loaded, err := compile.PickerText(plan)
	if err != nil || o.config == "" {
		return text, loaded, cli.BadInput(err)
	}
	if text, err = os.ReadFile(o.config); err != nil {
		return nil, nil, cli.BadInput(fmt.Errorf("--epp-config: %w", err))
	}
	text = compile.UnwrappedPicker(text)
	if loaded, err = eventsOf(text, loaded.Dialect.Name); err != nil {
		return nil, nil, cli.BadInput(fmt.Errorf("--epp-config %s: %w", o.config, err))
	}
	return text, loaded, nil
}

// onThisMachine runs the replicas, the EPP and the load until the last request has ended.
func (o *rehearseOptions) onThisMachine(ctx context.Context, pools pools, config []byte, m *measurement, stderr io.Writer) (*recording, error) {
	open, err := ports.Open(ctx, o.engine.addresses, 0, pools.replicas())
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("listen for the replicas: %w", err))
	}
	defer ports.Close(open)
	if o.binary, err = filepath.Abs(o.binary); err != nil { // so that no other program of this name is found in the PATH
		return nil, err
	}
	p := newPlay(m, o.load, endpointsOf(pools, open))
	o.engine.notes = p.notes
	group, groupCtx := errgroup.WithContext(ctx)
	served, stop := context.WithCancel(groupCtx)
	defer stop()
	engines, err := o.engine.newEngines(served, pools, open)
	if err != nil {
		return nil, err
	}
	group.Go(func() error { return engines.serve(served, io.Discard, stderr) })
	group.Go(func() error {
		defer stop()
		return o.throughEPP(groupCtx, p, engines, config)
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return p.recording(), nil
}

// throughEPP sends the load through an EPP that it starts before the replicas.
func (o *rehearseOptions) throughEPP(ctx context.Context, p *play, engines *engines, config []byte) error {
	folder, err := os.MkdirTemp("", "windtunnel-rehearse-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // nothing of the result is there
	objectives, _ := objectivesOf(engines.priorities)
	args := epp.KnownFlags(ctx, o.binary)
	if live := engines.run.Spec.Execution.Live; live != nil {
		args = append(args, live.Args...)
	}
	running, err := epp.Start(ctx, epp.Options{
		Binary: o.binary, Args: append(args, o.args...), Config: config, Endpoints: endpointsOf(engines.pools, engines.open),
		Objectives: objectives, Renderer: "http://" + engines.open[0].Addr().String(), Folder: folder,
		Refresh: engines.run.Spec.Scenario.Router.MetricsRefreshInterval.Duration(), Speed: o.speed,
	})
	if err != nil {
		return cli.BadInput(err)
	}
	defer running.Stop()
	whole, cancel := whileRuns(ctx, running)
	defer cancel()
	if err := awaitReaders(whole, engines.publisher); err != nil {
		return cli.BadInput(err)
	}
	p.load.epp = running.Address
	if err := p.send(whole); err != nil {
		return err
	}
	running.Stop() // which tells the last moments
	p.take(running.Moments)
	return nil
}

// whileRuns is a context that ends with the EPP at the latest.
func whileRuns(ctx context.Context, p *epp.Process) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-p.Over():
			cancel(cli.BadInput(p.Ended()))
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// endpointsOf are the replicas as the EPP finds them.
func endpointsOf(pools pools, open []net.Listener) []epp.Endpoint {
	var all []epp.Endpoint
	for i := range pools.config.Pools {
		pool := &pools.config.Pools[i]
		for _, name := range pool.EndpointNames() {
			e := epp.Endpoint{Name: strings.ReplaceAll(name, "/", "-"), Address: netip.MustParseAddrPort(open[len(all)].Addr().String())}
			if role := pools.scenario[i].Role; role != "" {
				e.Labels = map[string]string{"llm-d.ai/role": strings.ToLower(string(role))}
			}
			all = append(all, e)
		}
	}
	return all
}
