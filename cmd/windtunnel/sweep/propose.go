// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/cmd/windtunnel/state"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/pkg/propose"
	"windtunnel.dev/windtunnel/pkg/search"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// proposerOptions are the flags of sweep about a service that proposes policies.
type proposerOptions struct {
	url     string
	timeout time.Duration
	stderr  io.Writer
}

func (o *proposerOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.url, "proposer", "", "`URL` of a service that proposes policies for a parameter that evolves; docs/policy-abi.md describes the requests")
	f.DurationVar(&o.timeout, "proposer-timeout", 2*time.Minute, "how long the command waits for an answer of --proposer, in each of three tries")
}

func (o *proposerOptions) check() error {
	if o.url == "" {
		return nil
	}
	to, err := url.Parse(o.url)
	if err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
		return cli.BadInput(fmt.Errorf("--proposer: %q must be a URL such as http://localhost:8080/propose", o.url))
	}
	if o.timeout <= 0 {
		return cli.BadInput(errors.New("--proposer-timeout must be greater than 0"))
	}
	return nil
}

// checkSweep refuses a sweep for which there is nothing to propose.
func (o *proposerOptions) checkSweep(p *experiment.Plan) error {
	if o.url != "" && p.Evolving() == nil {
		return cli.BadInput(errors.New("--proposer needs a parameter that evolves"))
	}
	return nil
}

// attach has the search of a sweep ask the service. The state keeps the answers, if there is
// one. The context ends with the error that keeps the search from going on.
func (o *proposerOptions) attach(ctx context.Context, sweep local.Sweep, s *state.State) (context.Context, error) {
	if o.url == "" {
		local.PrintWarnings(o.stderr, o.unasked(sweep.Plan))
		if s != nil && len(s.Proposals) > 0 {
			return ctx, cli.BadInput(errors.New("the state has answers of a proposer: name the service again by --proposer URL"))
		}
		return ctx, nil
	}
	if fence.Missing != "" {
		local.PrintWarnings(o.stderr, []string{fence.Missing})
	}
	options := propose.Options{URL: o.url, Timeout: o.timeout, Pause: time.Second, Wait: cli.Wait, Note: func(e propose.Entry) error {
		o.tell(&e)
		if s == nil {
			return nil
		}
		return s.Append(state.Line{Proposal: &e})
	}}
	if s != nil {
		options.Known = s.Proposals
	}
	options.Objectives, options.Features = worker.ProposeObjectives(sweep.Plan), worker.ProposeFeatures(sweep.Plan)
	client := propose.NewClient(options)
	ctx, stop := context.WithCancelCause(ctx)
	sweep.Plan.Proposer = func(inquiries []search.Inquiry) [][]search.Proposed {
		proposed, err := client.Propose(ctx, inquiries)
		if err != nil {
			stop(err)
			return make([][]search.Proposed, len(inquiries))
		}
		return proposed
	}
	return ctx, nil
}

// unasked says that a service which the sweep names is not asked.
func (o *proposerOptions) unasked(p *experiment.Plan) []string {
	service := p.ProposerOf()
	if service == nil {
		return nil
	}
	return []string{fmt.Sprintf("the sweep names the proposer %s for a cluster, and this command does not ask it: name it by --proposer URL", service.URL)}
}

// tell says what of an answer cannot be used.
func (o *proposerOptions) tell(e *propose.Entry) {
	at := fmt.Sprintf("generation %d, island %d", e.Generation, e.Island)
	if e.Error != "" {
		fmt.Fprintf(o.stderr, "windtunnel: the proposer has no answer for %s, so changes of Windtunnel take its place: %s\n", at, e.Error)
	}
	for _, why := range e.Dropped {
		fmt.Fprintf(o.stderr, "windtunnel: a proposal for %s is not used: %s\n", at, why)
	}
}
