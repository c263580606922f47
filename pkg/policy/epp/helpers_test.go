// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

const header = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n"

const ms = simtime.Time(time.Millisecond)

var inline = field.NewPath("inline")

// mustLoad loads a document without its first two lines.
func mustLoad(t testing.TB, body string) *config.Config {
	t.Helper()
	return mustLoadFor(t, "router-main", body)
}

func mustLoadFor(t testing.TB, version, body string) *config.Config {
	t.Helper()
	c, errs := Load([]byte(header+body), version, inline)
	if len(errs) > 0 {
		t.Fatalf("refused: %v\n%s", errs.ToAggregate(), body)
	}
	return c
}

// marshal returns the effective document as JSON.
func marshal(t testing.TB, c *config.Config) string {
	t.Helper()
	raw := jsontest.Encode(t, c)
	return string(raw)
}

func errorTexts(errs field.ErrorList) []string {
	texts := []string{}
	for _, err := range errs {
		texts = append(texts, err.Error())
	}
	return texts
}

// pluginNames lists the plugins, those that the loader made in brackets.
func pluginNames(c *config.Config) string {
	var names []string
	for _, r := range c.Report(nil) {
		name := r.Name
		if r.Type != r.Name {
			name += "=" + r.Type
		}
		if r.Created {
			name = "[" + name + "]"
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// idle is a view in which nothing runs anywhere.
func idle(endpoints int) *policy.View {
	return &policy.View{Scrapes: make([]policy.Scrape, endpoints)}
}

// request is the n-th of a test, with a text of its own.
func request(n, tokens int) *policy.Request {
	return withPrompt(n, prompt.Extent{Source: uint64(1000 + n), Tokens: int32(tokens)})
}

func withPrompt(n int, extents ...prompt.Extent) *policy.Request {
	p := prompt.Prompt{Extents: extents}
	return &policy.Request{ID: n, Turn: n, Prompt: p, Tokens: p.Tokens()}
}

func route(t testing.TB, s *scheduler.Scheduler, view *policy.View, r *policy.Request) int {
	t.Helper()
	decision, err := s.Route(view, r)
	if err != nil {
		t.Fatal(err)
	}
	return decision.Endpoint
}

// A planted scheduler has producers whose data a test writes itself.
type planted struct {
	*scheduler.Builder
	*scheduler.Scheduler
}

func plant(t testing.TB, body string, labels ...map[string]string) planted {
	t.Helper()
	return plantFor(t, "router-main", body, labels...)
}

func plantFor(t testing.TB, version, body string, labels ...map[string]string) planted {
	t.Helper()
	c := mustLoadFor(t, version, body)
	b := scheduler.NewBuilder(parts, c, config.Cluster{Endpoints: len(labels), Labels: labels}, 1)
	return planted{b, b.Scheduler(parts, c)}
}

// unlabelled are the labels of so many endpoints without any.
func unlabelled(endpoints int) []map[string]string {
	return make([]map[string]string, endpoints)
}

// Decide runs the profiles only.
func (p planted) Decide(view *policy.View, r *policy.Request) scheduler.SchedulingResult {
	p.Staged.Run(p.Begin(view, r))
	return p.LastResult()
}

// hold plants the default producer's matches.
func (p planted) hold(totalBlocks int, blocks ...int) {
	m := p.PrefixMatch(config.ApproxPrefixCacheProducerType)
	m.TotalBlocks, m.BlockTokens = totalBlocks, 64
	copy(m.Blocks, blocks)
}

// checkParameterFaults compares the errors of one plugin's parameters.
func checkParameterFaults(t *testing.T, typeName, parameters string, want ...string) {
	t.Helper()
	checkParameterFaultsIn(t, "router-main", typeName, parameters, want...)
}

func checkParameterFaultsIn(t *testing.T, version, typeName, parameters string, want ...string) {
	t.Helper()
	_, errs := Load([]byte(header+"plugins: [{type: "+typeName+", parameters: "+parameters+"}]"), version, inline)
	for i := range want {
		want[i] = "inline.plugins[0].parameters." + want[i]
	}
	if diff := cmp.Diff(want, errorTexts(errs)); diff != "" {
		t.Errorf("%s %s: errors (-want +got):\n%s", typeName, parameters, diff)
	}
}
