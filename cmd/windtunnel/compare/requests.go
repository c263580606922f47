// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/result"
)

// served is what one request got.
type served struct {
	number       int64 // of the request in its simulation
	promptTokens int64
	ttft, e2e    float64 // seconds
}

// requestLog takes note of the requests of a simulation.
type requestLog struct {
	// completed are those that completed, and decisions are on all of them.
	completed map[result.Identity]served
	decisions map[result.Identity]requestResult
}

// Write implements [execute.RequestSink].
func (l *requestLog) Write(r *result.RequestRow) error {
	l.decisions[r.Identity] = decisionOn(r)
	if r.E2ESeconds != nil {
		l.completed[r.Identity] = served{number: r.Request, promptTokens: r.PromptTokens, ttft: *r.TTFTSeconds, e2e: *r.E2ESeconds}
	}
	return nil
}

// Close implements [execute.RequestSink].
func (*requestLog) Close() error { return nil }

// requestLogs are those of the simulations of one side.
type requestLogs []*requestLog

func (l *requestLogs) grow(simulations int) error {
	for range simulations {
		*l = append(*l, &requestLog{map[result.Identity]served{}, map[result.Identity]requestResult{}})
	}
	return nil
}

func (l *requestLogs) open(simulation int, _ experiment.Point, _ int64) (execute.RequestSink, error) {
	return (*l)[simulation], nil
}

// noticeableShare is the relative change from which a request counts as slower or
// faster.
const noticeableShare = 0.1

// maxSlowest is how many requests are listed.
const maxSlowest = 10

// requestContrast compares the same requests under the same seed.
type requestContrast struct {
	// Groups are all requests, then those of each quarter by prompt tokens.
	Groups []requestGroup `json:"groups"`
	// OnlyA and OnlyB completed on one side alone.
	OnlyA int `json:"onlyA"`
	OnlyB int `json:"onlyB"`
	// OtherPrompts are requests of the same place in the workload whose prompts have other
	// lengths, since the workloads of the sides differ.
	OtherPrompts int `json:"otherPrompts,omitempty"`
	// Slowest are those whose time end to end grew most.
	Slowest []requestPair `json:"slowest,omitempty"`
}

// requestGroup counts requests whose time end to end changed by more than 10 %.
type requestGroup struct {
	// From and To are the prompt tokens of the group, both inclusive.
	From   int64 `json:"fromPromptTokens"`
	To     int64 `json:"toPromptTokens"`
	Pairs  int   `json:"requests"`
	Slower int   `json:"slower"`
	Faster int   `json:"faster"`
}

// requestPair is one request on both sides, in seconds. Its number is another one where
// answers decide when requests come.
type requestPair struct {
	Seed int64 `json:"seed"`
	result.Identity
	RequestA     int64   `json:"requestA"`
	RequestB     int64   `json:"requestB"`
	PromptTokens int64   `json:"promptTokens"`
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
				pairs = append(pairs, c.pair(row.Seed, sides[0].requests[i].completed, sides[1].requests[j].completed)...)
			}
		}
	}
	slices.SortFunc(pairs, func(a, b requestPair) int {
		return cmp.Or(cmp.Compare(a.PromptTokens, b.PromptTokens), cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.RequestA, b.RequestA))
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
func (c *requestContrast) pair(seed int64, a, b map[result.Identity]served) []requestPair {
	var pairs []requestPair
	both := 0
	for id, x := range a {
		y, ok := b[id]
		switch {
		case !ok:
			c.OnlyA++
			continue
		case x.promptTokens != y.promptTokens:
			c.OtherPrompts++
		default:
			pairs = append(pairs, requestPair{
				Seed: seed, Identity: id, RequestA: x.number, RequestB: y.number, PromptTokens: x.promptTokens,
				E2EA: x.e2e, E2EB: y.e2e, TTFTA: x.ttft, TTFTB: y.ttft,
			})
		}
		both++
	}
	c.OnlyB += len(b) - both
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

// table prints the comparison for people; nothing without one.
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
	if c.OtherPrompts > 0 {
		fmt.Fprintf(w, "Not compared, since the prompts differ: %d.\n", c.OtherPrompts)
	}
	if len(c.Slowest) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\nSlowed down most\n\n")
	fmt.Fprintln(t, "seed\tsource\trequest A\trequest B\tprompt tokens\tttft A ms\tttft B ms\te2e A ms\te2e B ms\t")
	for _, p := range c.Slowest {
		fmt.Fprintf(t, "%d\t%s\t%d\t%d\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t\n", p.Seed, p.Source, p.RequestA, p.RequestB, p.PromptTokens, p.TTFTA*1e3, p.TTFTB*1e3, p.E2EA*1e3, p.E2EB*1e3)
	}
	return t.Flush()
}
