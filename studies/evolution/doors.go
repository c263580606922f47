// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	_ "embed" // the scenario
	"fmt"
	"net/http/httptest"
	"runtime"
	"time"

	"windtunnel.dev/windtunnel/pkg/evaluate"
	"windtunnel.dev/windtunnel/pkg/evaluate/server"
	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
)

//go:embed scenario.yaml
var scenarioText []byte

// objectives are what scores a program.
var objectives = []string{"goodput", "ttft.mean,target=40ms"}

// targetTTFT is the target of the second one, in seconds.
const targetTTFT = 0.040

// readScenario reads the scenario of all loops.
func readScenario(ctx context.Context) (*evaluate.Scenario, error) {
	set, err := manifest.Read(bytes.NewReader(scenarioText), "scenario.yaml")
	if err != nil {
		return nil, err
	}
	var all []evaluate.Objective
	for _, text := range objectives {
		o, err := evaluate.ParseObjective(text)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	s, errs, err := evaluate.NewScenario(ctx, set.Runs[0], "", all, nil)
	if len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	return s, err
}

// newEvaluator runs programs behind a fence, as the command does.
func newEvaluator() (e *evaluate.Evaluator, stop func()) {
	n := runtime.GOMAXPROCS(0)
	behind := fence.New(n)
	return &evaluate.Evaluator{Fence: behind, Now: time.Now}, behind.StartAhead(n)
}

// serve is a server as `windtunnel serve` has it.
func serve(e *evaluate.Evaluator, s *evaluate.Scenario) *httptest.Server {
	return httptest.NewServer(server.New(e, []*evaluate.Scenario{s}, 0, runtime.GOMAXPROCS(0)).Handler())
}

// goDoor asks the package, without a server.
type goDoor struct {
	evaluator *evaluate.Evaluator
	scenario  *evaluate.Scenario
}

func (d *goDoor) evaluate(ctx context.Context, source string, seed int64, summary bool) (float64, string, error) {
	p, err := evaluate.ReadPolicy([]byte(source), evaluate.Starlark, evaluate.Program{}, bundle.Limits{})
	if err != nil {
		return 0, "", err
	}
	strategy, err := evaluate.SummaryOf(asked(summary))
	if err != nil {
		return 0, "", err
	}
	a, err := d.evaluator.With(strategy).Evaluate(ctx, d.scenario.With(p), seed)
	if err != nil {
		return 0, "", err
	}
	if !a.OK {
		return 0, "", fmt.Errorf("a program of the study: %s", a.Error)
	}
	return a.CombinedScore, a.SummaryText, nil
}
