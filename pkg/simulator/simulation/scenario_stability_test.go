// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

var admissions = map[string]simulator.StabilityAdmission{"": simulator.AdmitAlways, "queue": simulator.AdmitOrQueue, "refuse": simulator.AdmitOrRefuse}

// stability is the settings of a line; the controller begins to estimate with
// the first completion unless it says otherwise.
func (l line) stability() *simulator.Stability {
	config := stability.DefaultConfig()
	config.Margin, config.MarginDeviations, config.MinEvictionInterval, config.MinCompletions = 1, 0, 0, 1
	if window := l.duration("window"); window > 0 {
		config.Window = window
	}
	if margin, ok := l.values["margin"]; ok {
		config.Margin = l.parseFloat(margin)
	}
	if deviations, ok := l.values["deviations"]; ok {
		config.MarginDeviations = l.parseFloat(deviations)
	}
	config.MinEvictionInterval = l.duration("interval")
	config.MinCompletions = max(1, l.number("completions"))
	admission, ok := admissions[l.values["admission"]]
	if !ok {
		l.t.Fatalf("line %d: no admission %q", l.row, l.values["admission"])
	}
	return &simulator.Stability{
		Form: stability.Form(l.values["form"]), Config: config,
		Evict: slices.Contains(l.names, "evict"), Admission: admission,
	}
}

func (l line) parseFloat(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		l.t.Fatalf("line %d: %v", l.row, err)
	}
	return x
}

// state is what the controller of a replica knew, to four digits.
func (l line) state(o *simulator.Result) map[string]string {
	s := o.Replicas[l.parseNumber(l.names[1])].Stability
	if s == nil {
		return map[string]string{"known": "nothing"}
	}
	f := func(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
	return map[string]string{
		"insufficient": fmt.Sprint(s.Insufficient), "stable": fmt.Sprint(s.IsStable),
		"arrivals": f(s.ArrivalsPerSecond), "served": f(s.ServedPerSecond), "utilization": f(s.Utilization),
		"critical": f(s.CriticalArrivalsPerSecond), "step": time.Duration(s.StepSeconds * 1e9).String(),
		"iterations": f(s.TokenIterationsPerRequest), "blocks": f(s.BlocksPerRequest), "used": f(s.UsedBlocks),
		"minimum": strconv.Itoa(s.MinimumStableBlocks), "missing": strconv.Itoa(s.MissingBlocks),
		"reserve": strconv.Itoa(s.ReserveBlocks), "bits": strconv.Itoa(s.RecommendedKVBits),
	}
}

// randomStability watches one pool in two, on the scale of randomConfig's times.
func randomStability(c *choices) *simulator.Stability {
	if c.pick(2) == 0 {
		return nil
	}
	return &simulator.Stability{
		Form: stability.Forms()[c.pick(2)],
		Config: stability.Config{
			Window:              time.Duration(1 + c.pick(200)),
			Margin:              1 + float64(c.pick(4))/8,
			BlockTokens:         1,
			MinEvictionInterval: time.Duration(c.pick(20)),
			MarginDeviations:    float64(c.pick(3)),
			PromptChunkTokens:   c.pick(2) * 8,
			MinCompletions:      1 + c.pick(3),
		},
		Evict:     c.pick(2) == 0,
		Admission: simulator.StabilityAdmission(c.pick(3)),
	}
}
