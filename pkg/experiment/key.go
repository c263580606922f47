// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/timezone"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/setup"
)

// Digest returns the hex SHA-256 of raw.
func Digest(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// digestJSON returns the digest of a value's JSON. Maps marshal with sorted
// keys and trees keep their digits, so equal values give equal digests.
func digestJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("experiment: marshal %T: %v", v, err))
	}
	return Digest(raw)
}

// SimulationKey is the identity of one simulation: the same key always gives
// the same result. It knows nothing of what the simulation is for, so that one
// made for something else serves too.
type SimulationKey struct {
	Engine string `json:"engine"`
	// Rows is the version of what rows hold.
	Rows int `json:"rows"`
	// Scenario is the tree of a resolved one.
	Scenario json.RawMessage `json:"scenario"`
	// Trace is the digest of the trace without a name, Traces the digests of those with
	// names, in the order of the scenario.
	Trace  string   `json:"trace,omitempty"`
	Traces []string `json:"traces,omitempty"`
	Seed   int64    `json:"seed"`
	// Metrics are those that the row holds in addition to the usual ones: with selectors, and
	// the names of those that are measured on demand.
	Metrics []string `json:"metrics,omitempty"`
	// Anomalies are the thresholds of the rules, where they are not the defaults and a metric counts
	// anomalies, or a pool what the order of its queues does.
	Anomalies insight.Thresholds `json:"anomalies,omitzero"`
	// TimeZones is the version of the time zone database, where a scaler goes by a time zone.
	TimeZones string `json:"timeZones,omitempty"`
	// Live identifies the EPP that is measured in place of a simulation.
	Live string `json:"live,omitempty"`
}

func (k SimulationKey) String() string { return digestJSON(k)[:keyDigits] }

// keyDigits is the length of a key, in hexadecimal digits.
const keyDigits = 32

// seedKeys makes the keys of simulations that differ in their seeds alone. What comes before the
// seed, such as the scenario, is written and digested once.
type seedKeys struct {
	before hash.Cloner
	after  []byte
}

func (k SimulationKey) seedKeys() seedKeys {
	k.Seed = 0
	raw, err := json.Marshal(k)
	if err != nil {
		panic(fmt.Sprintf("experiment: marshal a key: %v", err))
	}
	// What comes after the seed has texts, in which quotes are escaped, and thresholds.
	const field = `,"seed":`
	at := bytes.LastIndex(raw, []byte(field)) + len(field)
	before := sha256.New().(hash.Cloner)
	_, _ = before.Write(raw[:at]) // into memory
	return seedKeys{before, raw[at+len("0"):]}
}

// under returns the key under a seed.
func (k seedKeys) under(seed int64) string {
	whole, err := k.before.Clone()
	if err != nil {
		panic(fmt.Sprintf("experiment: copy a SHA-256: %v", err))
	}
	_, _ = whole.Write(append(strconv.AppendInt(nil, seed, 10), k.after...)) // into memory
	return hex.EncodeToString(whole.Sum(nil))[:keyDigits]
}

// KeyOf returns the key of a scenario's simulations, but for the seed.
func (p *Plan) KeyOf(scenario Tree, metrics []result.Metric) SimulationKey {
	key := SimulationKey{Engine: p.EngineVersion, Rows: result.RowsVersion, Scenario: setup.TreeJSON(scenario), Live: p.Live.digest()}
	of := usedTraces(scenario)
	if p.Trace != nil && of.unnamed {
		key.Trace = p.Trace.SHA256
	}
	for _, t := range p.Traces {
		if slices.Contains(of.names, t.Source) {
			key.Traces = append(key.Traces, t.SHA256)
		}
	}
	for _, metric := range metrics {
		if metric.Selector != (result.Selector{}) {
			key.Metrics = append(key.Metrics, metric.String())
		}
		if name := onDemandName(metric); metric.OnDemand() && !slices.Contains(key.Metrics, name) {
			key.Metrics = append(key.Metrics, name)
		}
		if metric.Name == result.Anomalies {
			key.Anomalies = p.Anomalies
		}
	}
	if watchesQueues(scenario) {
		key.Anomalies = p.Anomalies
	}
	if usesTimeZones(scenario) {
		key.TimeZones = timezone.Version
	}
	slices.Sort(key.Metrics)
	return key
}

// usesTimeZones reports whether a scaler has a time zone whose clocks the database tells.
func usesTimeZones(scenario Tree) bool {
	scalers, _ := scenario["scalers"].([]any)
	return slices.ContainsFunc(scalers, func(scaler any) bool {
		object, _ := scaler.(Tree)["scaledObject"].(Tree)
		spec, _ := object["spec"].(Tree)
		triggers, _ := spec["triggers"].([]any)
		return slices.ContainsFunc(triggers, func(trigger any) bool {
			metadata, _ := trigger.(Tree)["metadata"].(Tree)
			zone, _ := metadata["timezone"].(string)
			return zone != "" && zone != time.UTC.String()
		})
	})
}

// watchesQueues reports whether a pool has queue metrics.
func watchesQueues(scenario Tree) bool {
	pools, _ := scenario["pools"].([]any)
	return slices.ContainsFunc(pools, func(pool any) bool {
		engine, _ := pool.(Tree)["engine"].(Tree)
		return engine["queueMetrics"] == string(v1alpha1.Enabled)
	})
}

// onDemandName is what a key has of a metric that is measured on demand. One that needs decisions
// has others measured with it.
func onDemandName(metric result.Metric) string {
	if metric.NeedsDecisions() {
		return metric.Name + ".decisions"
	}
	return metric.Name
}

// tracesOf says which traces a scenario replays: one without a name, and those of the names.
type tracesOf struct {
	unnamed bool
	names   []string
}

func usedTraces(scenario Tree) (of tracesOf) {
	workload, _ := scenario["workload"].(Tree)
	_, of.unnamed = workload["trace"]
	traces, _ := workload["traces"].([]any)
	for _, t := range traces {
		name, _ := t.(Tree)["name"].(string)
		of.names = append(of.names, name)
	}
	return of
}

// Under returns the key of the simulation under a seed.
func (k SimulationKey) Under(seed int64) string {
	k.Seed = seed
	return k.String()
}

// TrialKeys returns the key of each simulation of a trial, in order.
func (p *Plan) TrialKeys(t *Trial, metrics []result.Metric) []string {
	names := p.workloadNames()
	keys := make([]string, 0, len(t.Seeds)*len(names))
	of := make([]seedKeys, len(names))
	for i, workload := range names {
		of[i] = p.caseKey(t, workload, metrics).seedKeys()
	}
	for _, seed := range t.Seeds {
		for i := range of {
			keys = append(keys, of[i].under(seed))
		}
	}
	return keys
}

// CaseKey returns the key of one simulation.
func (p *Plan) CaseKey(c Case, metrics []result.Metric) string {
	return p.caseKey(c.Trial, c.Workload, metrics).Under(c.Seed)
}

// caseKey is the key of a trial's simulations under a workload, but for the seed. That of
// a point whose values do not go together is made of the values.
func (p *Plan) caseKey(t *Trial, workload string, metrics []result.Metric) SimulationKey {
	scenario, err := p.ScenarioAt(t.Point, t.Share)
	if err != nil {
		scenario = Tree{"invalid": t.Point.String()}
		if workload != "" {
			scenario["workload"] = workload
		}
		return p.KeyOf(scenario, MetricsUnder(metrics, workload))
	}
	return p.KeyOf(p.Under(scenario, workload), MetricsUnder(metrics, workload))
}
