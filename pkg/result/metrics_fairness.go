// SPDX-License-Identifier: Apache-2.0

package result

import "windtunnel.dev/windtunnel/pkg/simulator"

// Fairness is Jain's index over the tenants that sent requests,
// (Σx)² ÷ (n·Σx²): 1 where all x are equal, 1/n where one tenant has it all
// (Jain, Chiu, Hawe: A Quantitative Measure of Fairness and Discrimination,
// DEC TR-301, 1984). An index is nil where every x is 0.
type Fairness struct {
	// Tokens takes x = tokens served: the prompts of the tenant's scheduled
	// requests plus what was generated for them. It says how evenly service
	// was split, also where the tenants asked for different amounts.
	Tokens *float64 `json:"tokens,omitempty"`
	// Completions takes x = completed ÷ arrived: how evenly tenants got what
	// they asked for.
	Completions *float64 `json:"completions,omitempty"`
}

// fairness compares the tenants of a group.
var fairness = subject{
	gather: func(in *selection, g *Group) {
		if in.Tenant == "" {
			g.Fairness = newFairness(in.tenants)
		}
	},
	families: []family{{name: "fairness", labels: betweenLabels, needs: needs{tenants: true}, statistics: []statistic{
		fairnessOf("tokens", "Jain's index over tenants of the tokens served to each", func(f *Fairness) *float64 { return f.Tokens }),
		fairnessOf("completions", "Jain's index over tenants of completed ÷ arrived", func(f *Fairness) *float64 { return f.Completions }),
	}}},
}

func fairnessOf(name, help string, of func(*Fairness) *float64) statistic {
	return statistic{name: name, unit: Index, direction: Maximize, help: help, value: func(g *Group) (float64, bool) {
		if g.Fairness == nil {
			return 0, false
		}
		return optional(of(g.Fairness))
	}}
}

// tenantTally is what one tenant asked for and got.
type tenantTally struct {
	arrived, completed, tokens int64
}

func (t *tenantTally) add(c *simulator.Cell) {
	t.arrived += c.Arrived
	t.completed += c.Completed
	t.tokens += c.PromptTokens + c.OutputTokens
}

// newFairness returns nil where fewer than two tenants sent requests.
func newFairness(tenants []tenantTally) *Fairness {
	var tokens, completions []float64
	for _, t := range tenants {
		if t.arrived == 0 {
			continue
		}
		tokens = append(tokens, float64(t.tokens))
		completions = append(completions, float64(t.completed)/float64(t.arrived))
	}
	if len(tokens) < 2 {
		return nil
	}
	return &Fairness{Tokens: jain(tokens), Completions: jain(completions)}
}

// jain returns Jain's index of non-negative numbers; nil where all are 0.
func jain(xs []float64) *float64 {
	sum, squares := 0.0, 0.0
	for _, x := range xs {
		sum += x
		squares += float64(x * x)
	}
	if squares == 0 {
		return nil
	}
	index := float64(sum*sum) / float64(float64(len(xs))*squares)
	return &index
}
