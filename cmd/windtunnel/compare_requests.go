// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// withPicker gives a run another EPP configuration.
func withPicker(run *v1alpha1.SimulationRun, name string, stdin io.Reader) error {
	raw, err := readFile(name, stdin)
	if err != nil {
		return badInputError{err}
	}
	if len(run.Spec.Scenario.Routers) > 0 {
		return badInputError{fmt.Errorf("%s has routers of several models: an EPP configuration replaces the only router of a run, so change the run instead", run.Name)}
	}
	text, router := string(raw), &run.Spec.Scenario.Router
	router.Policies = nil
	version := cmp.Or(router.EndpointPickerConfig.Version, "auto")
	router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{Version: version, Inline: &text}
	return nil
}

func readFile(name string, stdin io.Reader) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(name)
}

// served is what one request got.
type served struct {
	promptTokens int
	ttft, e2e    float64 // seconds
}

// requestLog takes note of requests, by simulation.
type requestLog struct{ requests []map[int]served }

func (l *requestLog) grow(simulations int) error {
	for range simulations {
		l.requests = append(l.requests, map[int]served{})
	}
	return nil
}

func (l *requestLog) completed(simulation int, c simulator.Completion) {
	l.requests[simulation][c.ID] = served{
		promptTokens: c.PromptTokens,
		ttft:         c.FirstToken.Sub(c.Arrival).Seconds(),
		e2e:          c.LastToken.Sub(c.Arrival).Seconds(),
	}
}

// noticeableShare is the relative change from which a request counts as slower or
// faster.
const noticeableShare = 0.1

// maxSlowest is how many requests are listed.
const maxSlowest = 10

// requestContrast compares requests of the same number under the same seed.
type requestContrast struct {
	// Groups are all requests, then those of each quarter by prompt tokens.
	Groups []requestGroup `json:"groups"`
	// OnlyA and OnlyB completed on one side alone.
	OnlyA int `json:"onlyA"`
	OnlyB int `json:"onlyB"`
	// Slowest are those whose time end to end grew most.
	Slowest []requestPair `json:"slowest,omitempty"`
}

// requestGroup counts requests whose time end to end changed by more than 10 %.
type requestGroup struct {
	// From and To are the prompt tokens of the group, both inclusive.
	From   int `json:"fromPromptTokens"`
	To     int `json:"toPromptTokens"`
	Pairs  int `json:"requests"`
	Slower int `json:"slower"`
	Faster int `json:"faster"`
}

// requestPair is one request on both sides, in seconds.
type requestPair struct {
	Seed         int64   `json:"seed"`
	Request      int     `json:"request"`
	PromptTokens int     `json:"promptTokens"`
	E2EA         float64 `json:"e2eA"`
	E2EB         float64 `json:"e2eB"`
	TTFTA        float64 `json:"ttftA"`
	TTFTB        float64 `json:"ttftB"`
}

func (p *requestPair) growth() float64 { return p.E2EB - p.E2EA }

// contrastRequests is nil unless both sides were simulated.
func contrastRequests(sides [2]*side) *requestContrast {
	if sides[0].requests == nil || sides[1].requests == nil {
		return nil
	}
	c := &requestContrast{}
	var pairs []requestPair
	for i, row := range sides[0].rows {
		for j, other := range sides[1].rows {
			if row.Seed == other.Seed {
				pairs = append(pairs, c.pair(row.Seed, sides[0].requests[i], sides[1].requests[j])...)
			}
		}
	}
	slices.SortFunc(pairs, func(a, b requestPair) int {
		return cmp.Or(cmp.Compare(a.PromptTokens, b.PromptTokens), cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Request, b.Request))
	})
	c.Groups = append(c.Groups, groupOf(pairs))
	c.quarters(pairs)
	slices.SortStableFunc(pairs, func(a, b requestPair) int { return cmp.Compare(b.growth(), a.growth()) })
	for i := range min(maxSlowest, len(pairs)) {
		if pairs[i].growth() > 0 {
			c.Slowest = append(c.Slowest, pairs[i])
		}
	}
	return c
}

// pair joins the requests of one seed.
func (c *requestContrast) pair(seed int64, a, b map[int]served) []requestPair {
	var pairs []requestPair
	for id, x := range a {
		y, both := b[id]
		if !both {
			c.OnlyA++
			continue
		}
		pairs = append(pairs, requestPair{Seed: seed, Request: id, PromptTokens: x.promptTokens, E2EA: x.e2e, E2EB: y.e2e, TTFTA: x.ttft, TTFTB: y.ttft})
	}
	c.OnlyB += len(b) - len(pairs)
	return pairs
}

// quarters adds the groups of pairs that are sorted by prompt tokens: as many in
// each as equal prompts allow.
func (c *requestContrast) quarters(pairs []requestPair) {
	const quarters = 4
	first := 0
	for q := 1; q <= quarters; q++ {
		end := max(first, q*len(pairs)/quarters)
		for end > first && end < len(pairs) && pairs[end].PromptTokens == pairs[end-1].PromptTokens {
			end++
		}
		if end > first && end-first < len(pairs) {
			c.Groups = append(c.Groups, groupOf(pairs[first:end]))
		}
		first = end
	}
}

// groupOf counts pairs, which are sorted by prompt tokens.
func groupOf(pairs []requestPair) requestGroup {
	g := requestGroup{Pairs: len(pairs)}
	if len(pairs) > 0 {
		g.From, g.To = pairs[0].PromptTokens, pairs[len(pairs)-1].PromptTokens
	}
	for i := range pairs {
		switch p := &pairs[i]; {
		case p.E2EB > (1+noticeableShare)*p.E2EA:
			g.Slower++
		case p.E2EB < (1-noticeableShare)*p.E2EA:
			g.Faster++
		}
	}
	return g
}

// table prints the comparison for people; nothing where there is none.
func (c *requestContrast) table(w io.Writer) error {
	if c == nil {
		return nil
	}
	fmt.Fprintf(w, "\nRequests, each under the same seed on both sides: end to end, B by more than 10 %%\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "prompt tokens\trequests\tslower\tfaster\t")
	for _, g := range c.Groups {
		fmt.Fprintf(t, "%d to %d\t%d\t%d\t%d\t\n", g.From, g.To, g.Pairs, g.Slower, g.Faster)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if c.OnlyA+c.OnlyB > 0 {
		fmt.Fprintf(w, "Completed on one side alone: %d on A, %d on B.\n", c.OnlyA, c.OnlyB)
	}
	if len(c.Slowest) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\nSlowed down most\n\n")
	fmt.Fprintln(t, "seed\trequest\tprompt tokens\tttft A ms\tttft B ms\te2e A ms\te2e B ms\t")
	for _, p := range c.Slowest {
		fmt.Fprintf(t, "%d\t%d\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t\n", p.Seed, p.Request, p.PromptTokens, p.TTFTA*1e3, p.TTFTB*1e3, p.E2EA*1e3, p.E2EB*1e3)
	}
	return t.Flush()
}
