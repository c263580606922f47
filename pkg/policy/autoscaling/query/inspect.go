// SPDX-License-Identifier: Apache-2.0

package query

import (
	"slices"
	"strings"

	"github.com/VictoriaMetrics/metricsql"

	"windtunnel.dev/windtunnel/pkg/spelling"
)

// Inspection is what can be said of a query without a scenario.
type Inspection struct {
	// Unparsed says why the text is no query; all else is empty then.
	Unparsed string
	// Unexported say of metrics that no exporter has them.
	Unexported []string
	// NotSimulated say what Windtunnel does not evaluate.
	NotSimulated []string
}

// Inspect looks at a query.
func Inspect(text string) Inspection {
	tree, err := metricsql.Parse(text)
	if err != nil {
		return Inspection{Unparsed: (&compiler{text: text}).unparsed(err.Error()).Text}
	}
	var x Inspection
	c := &compiler{text: text, words: wordsOf(text)}
	c.refuseWords()
	for _, f := range c.faults {
		x.NotSimulated = append(x.NotSimulated, f.Text)
	}
	metricsql.VisitAll(tree, func(e metricsql.Expr) {
		if name := nameOf(e); name != "" {
			x.add(InspectName(name))
		}
	})
	return x
}

func (x *Inspection) add(other Inspection) {
	x.Unexported = appendNew(x.Unexported, other.Unexported)
	x.NotSimulated = appendNew(x.NotSimulated, other.NotSimulated)
}

func appendNew(to, from []string) []string {
	for _, text := range from {
		if !slices.Contains(to, text) {
			to = append(to, text)
		}
	}
	return to
}

// InspectName looks at the name of a metric. It is silent about one that is simulated.
func InspectName(name string) Inspection {
	if metricOf(name) != nil {
		return Inspection{}
	}
	if from := exporterOf(name); from != "" {
		return Inspection{NotSimulated: []string{name + " of " + from + " is not simulated"}}
	}
	for i := range exporters {
		x := &exporters[i]
		if !strings.HasPrefix(name, x.prefix) {
			continue
		}
		near := similarNames(name)
		switch {
		case released(name) != "":
			return Inspection{Unexported: []string{"no release of the EPP exports " + name + "; use " + released(name)}}
		case !x.complete && near == "":
			return Inspection{NotSimulated: []string{"there is no metric " + name + " in a simulation"}}
		case near != "":
			return Inspection{Unexported: []string{x.name + " exports no " + name + "; similar: " + near}}
		default:
			return Inspection{Unexported: []string{x.name + " exports no " + name}}
		}
	}
	return Inspection{NotSimulated: []string{"there is no metric " + name + " in a simulation"}}
}

// exporterOf is who exports a metric that is not in the catalogue; empty where that is not known.
func exporterOf(name string) string {
	for i := range exporters {
		if rest, is := strings.CutPrefix(name, exporters[i].prefix); is && exporters[i].exports(rest) {
			return exporters[i].name
		}
	}
	return ""
}

// HasExporter reports whether the name is one of an exporter whose metrics are known.
func HasExporter(name string) bool {
	return slices.ContainsFunc(exporters, func(x exporter) bool { return strings.HasPrefix(name, x.prefix) })
}

// similarNames lists names of metrics that are near to one.
func similarNames(name string) string {
	return strings.Join(spelling.Nearest(name, allNames()), ", ")
}

// allNames are those of all metrics.
func allNames() []string {
	var names []string
	for i := range catalogue {
		for _, n := range catalogue[i].Names {
			names = append(names, n.Text)
		}
	}
	return names
}
