// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/query"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// A Rule is something to find.
type Rule struct {
	// ID is what findings name it by.
	ID       string
	Severity lint.Severity
	// Summary is what is found, Why what comes of it, Fix what to do instead.
	Summary, Why, Fix string
	// Kind is the kind of the examples. Rules about ConfigMaps are about no other kind, and the
	// others not about ConfigMaps.
	Kind manifest.Kind
	// Context is what the examples are checked with.
	Context Context

	check func(*pass)
}

// Context is what a manifest does not say. What is zero is not known, and rules that need it
// are silent.
type Context struct {
	// Queries are the queries of metrics by their names.
	Queries map[string]string
	// Startup is how long a replica takes to start.
	Startup time.Duration
	// Places is how many replicas the nodes have room for.
	Places int
	// Detector are the thresholds of the EPP's saturation detector; nil where they are not known.
	Detector *Detector
	// Simulated says that a scenario has the manifest: then all of it is simulated, and the scenario's version
	// of the EPP decides which metrics exist.
	Simulated bool
	// EPP is that of the router of a scenario; nil without a scenario, and where policies route.
	EPP *query.EPP
	// Versions are those of the EPP that the manifest is for.
	Versions []version.Dialect
	// Split says that it scales prefill or decode alone, behind a router that has both.
	Split bool
	// PrefixCaching says that replicas keep the KV blocks of prompts.
	PrefixCaching bool
}

// Detector are the KV usage and the queue from which on the EPP takes a replica for saturated.
type Detector struct {
	KVUsage float64
	Queue   int
}

// A Finding is one thing to know about a manifest.
type Finding struct {
	Rule     string
	Severity lint.Severity
	// Path is that of the field in the object.
	Path    string
	Message string
}

// A pass is one rule's look at one manifest.
type pass struct {
	*manifest.Manifest
	Context
	rule  *Rule
	found []Finding
}

func (p *pass) report(at *field.Path, format string, values ...any) {
	p.reportAs(p.rule.Severity, at, format, values...)
}

func (p *pass) reportAs(severity lint.Severity, at *field.Path, format string, values ...any) {
	p.found = append(p.found, Finding{p.rule.ID, severity, at.String(), fmt.Sprintf(format, values...)})
}

// query is the query of a metric.
func (p *pass) query(m *manifest.Metric) string {
	if q, ok := p.Queries[m.Name]; ok {
		return q
	}
	return m.Name
}

// minPath and maxPath are where the bounds of the replicas stand.
func (p *pass) minPath() *field.Path { return p.bound("minReplicas", "minReplicaCount") }

func (p *pass) bound(hpa, keda string) *field.Path {
	if p.Kind == manifest.HorizontalPodAutoscaler {
		return field.NewPath("spec", hpa)
	}
	return field.NewPath("spec", keda)
}

// rules are all there are.
var rules = []*Rule{
	&downWindowBelowStartup, &downAllAtOnce, &slowToMax, &minIsMax, &targetBelowOne, &valueForSum, &averageOfAverage,
	&severalSeries, &sumOverStages, &targetOutsideRange, &metricWithoutSeries, &metricOfOtherVersion, &rolesAsOne,
	&cooldownBelowStartup, &neverWakes, &maxBeyondNodes, &recommendedBelowMinimum, &recommendedTimesTarget,
	&thresholdsDiffer, &entryWithoutEffect, &unreadMetadata, &unexportedMetric, &notSimulated,
}

// Check returns what the rules find in a manifest.
func Check(m *manifest.Manifest, context Context) []Finding {
	var found []Finding
	for _, r := range rules {
		if r != &notSimulated && r != &unreadMetadata && (m.Kind == manifest.PodAutoscaler || (r.Kind == manifest.ConfigMap) != (m.Kind == manifest.ConfigMap)) {
			continue
		}
		p := pass{Manifest: m, Context: context, rule: r}
		r.check(&p)
		found = append(found, p.found...)
	}
	return found
}

// Lookup finds a rule, or nil.
func Lookup(id string) *Rule {
	for _, r := range rules {
		if r.ID == id {
			return r
		}
	}
	return nil
}
