// SPDX-License-Identifier: Apache-2.0

package insight

// A Report is what a collector found.
type Report struct {
	Seed    int64       `json:"seed"`
	Outcome Performance `json:"outcome"`
	// Anomalies are ranked: causes before symptoms, each by severity times share.
	Anomalies []Anomaly `json:"anomalies"`
	// Worst are the decisions whose requests waited longest for their first token against their
	// limit, Sample is decisions at equal distances in the order of arrival.
	Worst    []RequestExample `json:"worst"`
	Sample   []RequestExample `json:"sample"`
	Patterns []Pattern        `json:"patterns"`
	// Router is what the explanations of the router name, and Scalers are the scenario's.
	Router  []Plugin `json:"router"`
	Scalers []Scaler `json:"scalers,omitempty"`
	// Components are the worst decisions of each component of a policy, by its name in a
	// PolicyBundle.
	Components map[string][]Example `json:"components"`
}

// A Scaler is a scaler with the names of the values that its decisions rest on.
type Scaler struct {
	Name   string   `json:"name"`
	Values []string `json:"values,omitempty"`
}

// Report returns what was found so far.
func (c *Collector) Report() *Report {
	r := &Report{
		Seed: c.seed, Outcome: c.outcome.report(), Anomalies: []Anomaly{},
		Worst: c.decisions(c.worst.all), Sample: c.decisions(byArrival(c.sample.all)), Patterns: c.patterns.report(), Router: c.router.plugins,
	}
	r.Anomalies = append(r.Anomalies, c.anomalies()...)
	rank(r.Anomalies)
	r.Components = c.components()
	for i := range c.scaling {
		r.Scalers = append(r.Scalers, Scaler{c.scaling[i].Name, c.scalers.units[i].notes})
	}
	return r
}

// anomalies are what the rules found so far.
func (c *Collector) anomalies() []Anomaly {
	var all []Anomaly
	for _, rule := range c.rules {
		all = append(all, rule.anomalies(c)...)
	}
	all = append(all, c.scalers.anomalies(c)...)
	return append(all, c.storm.anomalies(c)...)
}
