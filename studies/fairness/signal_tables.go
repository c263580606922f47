// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"

	"windtunnel.dev/windtunnel/studies/study"
)

// signal is one of the signals by tenant. One that adds up over the requests of a tenant
// grows with what the tenant pays for.
type signal struct {
	name, format string
	of           func(signals) float64
	addsUp       bool
}

func allSignals() []signal {
	return []signal{
		{"arrivals per second", "%.3g", func(s signals) float64 { return s.rate }, true},
		{"burstiness: greatest rate of a second ÷ mean", "%.1f", func(s signals) float64 { return s.burst }, false},
		{"tokens of a prompt", "%.0f", func(s signals) float64 { return s.prompt }, false},
		{"requests in flight", "%.3g", func(s signals) float64 { return s.inFlight }, true},
		{"prompt tokens in flight", "%.0f", func(s signals) float64 { return s.tokens }, true},
		{"prompt tokens that arrive per second", "%.0f", func(s signals) float64 { return s.work }, true},
	}
}

// signalTable has the signals of a team and the large tenant in the calm, and of the abuser.
func (f *findings) signalTable() *study.Table {
	t := &study.Table{Titles: append([]string{"signal", "a team, calm", "large, calm", "large, beside huge-prompts"}, abuses...)}
	for _, s := range allSignals() {
		value := func(workload, tenant string) string {
			return fmt.Sprintf(s.format, s.of(f.seen[workload].tenants[tenant]))
		}
		row := []string{s.name, value(calm, team), value(calm, large), value("huge-prompts", large)}
		for _, abuse := range abuses {
			row = append(row, value(abuse, abuser))
		}
		t.Add(row...)
	}
	return t
}

// apart is how many times the value of the greater of the good tenants the abuser's is, in
// the same run. With shares, values that add up are divided by what tenants pay for.
func (f *findings) apart(s signal, abuse string, shares bool) float64 {
	tenants := f.seen[abuse].tenants
	ofLarge := s.of(tenants[large])
	if shares && s.addsUp {
		ofLarge /= shareOfLarge
	}
	most := math.Max(ofLarge, s.of(tenants[team]))
	return s.of(tenants[abuser]) / most
}

// visible is from where on a signal is taken to tell the abuser apart.
const visible = 2

// ratioTable has apart of each signal, bold where the abuser is visible.
func (f *findings) ratioTable() *study.Table {
	t := &study.Table{Titles: append([]string{"signal"}, abuses...)}
	for _, shares := range []bool{false, true} {
		for _, s := range allSignals() {
			row := []string{s.name}
			if shares {
				if !s.addsUp {
					continue
				}
				row[0] += " ÷ share"
			}
			for _, abuse := range abuses {
				x := f.apart(s, abuse, shares)
				text := fmt.Sprintf("%.2g", x)
				if x >= 10 {
					text = fmt.Sprintf("%.0f", x)
				}
				if x >= visible {
					text = "**" + text + "**"
				}
				row = append(row, text)
			}
			t.Add(row...)
		}
	}
	return t
}

// ratio is one of the ratios, for the template.
func (f *findings) ratio(name, abuse string, shares bool) (string, error) {
	for _, s := range allSignals() {
		if s.name == name {
			return fmt.Sprintf("%.2g", f.apart(s, abuse, shares)), nil
		}
	}
	return "", fmt.Errorf("no signal %s", name)
}

// clusterTable has what replicas report.
func (f *findings) clusterTable() *study.Table {
	t := &study.Table{Titles: append([]string{"signal"}, workloads()...)}
	use, waiting := []string{"KV blocks in use"}, []string{"waiting requests of a replica"}
	for _, workload := range workloads() {
		c := f.seen[workload].cluster
		use, waiting = append(use, fmt.Sprintf("%.0f %%", 100*c.kvUse)), append(waiting, fmt.Sprintf("%.0f", c.waiting))
	}
	t.Add(use...)
	t.Add(waiting...)
	return t
}
