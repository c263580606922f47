// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Metric names a figure: ttft.p99, goodput, tpot.mean{class=critical}. It
// comes from [ParseMetric] or [RegisteredMetrics] and is comparable.
type Metric struct {
	// Name and Statistic are in the registry; Statistic is empty where the
	// metric has none.
	Name, Statistic string
	Selector        Selector
}

// MaxMetricLength bounds the text of a metric.
const MaxMetricLength = 256

// ParseMetric reads name, name.statistic or either with a selector in braces.
// Labels may come in any order; String gives the canonical one. The errors are
// at path, one for each fault, and list what is allowed.
func ParseMetric(text string, path *field.Path) (Metric, field.ErrorList) {
	switch {
	case text == "":
		return Metric{}, field.ErrorList{field.Required(path, "name a metric, such as ttft.p99; there are "+list(familyNames()))}
	case len(text) > MaxMetricLength:
		return Metric{}, field.ErrorList{field.TooLong(path, text, MaxMetricLength)}
	}
	head, selector, selected := strings.Cut(text, "{")
	m := Metric{}
	m.Name, m.Statistic, _ = strings.Cut(head, ".")
	f, faults := checkName(m, strings.Contains(head, "."))
	if selected {
		s, more := parseBraces(selector)
		m.Selector = s
		faults = append(faults, more...)
	}
	if f != nil {
		faults = append(faults, f.checkLabels(m.Selector)...)
	}
	if len(faults) == 0 {
		return m, nil
	}
	var errs field.ErrorList
	for _, fault := range faults {
		errs = append(errs, field.Invalid(path, text, fault))
	}
	return Metric{}, errs
}

// MustParseMetric is ParseMetric for texts that are known to be right. It
// panics where they are not.
func MustParseMetric(text string) Metric {
	m, errs := ParseMetric(text, field.NewPath("metric"))
	if len(errs) > 0 {
		panic(fmt.Sprintf("result: %v", errs.ToAggregate()))
	}
	return m
}

// checkName finds a metric's family and says what is wrong with its name or
// statistic. The family is nil where the name is unknown.
func checkName(m Metric, dotted bool) (*family, []string) {
	f := findFamily(m.Name)
	switch {
	case f == nil:
		return nil, []string{fmt.Sprintf("there is no metric %q; there are %s%s", m.Name, list(familyNames()), didYouMean(m))}
	case f.find(m.Statistic) != nil && (m.Statistic != "" || !dotted):
		return f, nil
	case !f.hasStatistics():
		return f, []string{fmt.Sprintf("%s takes no statistic", m.Name)}
	case m.Statistic == "":
		return f, []string{fmt.Sprintf("%s needs a statistic, as in %s.%s; there are %s",
			m.Name, m.Name, f.statistics[0].name, list(f.statisticNames()))}
	default:
		return f, []string{fmt.Sprintf("%s has no statistic %q; there are %s", m.Name, m.Statistic, list(f.statisticNames()))}
	}
}

// parseBraces reads a selector from behind its opening brace.
func parseBraces(text string) (Selector, []string) {
	inner, closed := strings.CutSuffix(text, "}")
	switch {
	case !closed:
		return Selector{}, []string{"the selector must end with }"}
	case inner == "":
		return Selector{}, []string{"the selector is empty; leave the braces out"}
	default:
		return parseSelector(inner)
	}
}

// checkLabels says which labels of a selector the family cannot be chosen by.
func (f *family) checkLabels(s Selector) []string {
	switch wrong := s.misplaced(f.labels); {
	case len(wrong) == 0:
		return nil
	case len(f.labels) == 0:
		return []string{fmt.Sprintf("%s cannot be selected by %s; it is of the whole run", f.name, list(wrong))}
	default:
		return []string{fmt.Sprintf("%s cannot be selected by %s; it takes %s", f.name, list(wrong), list(f.labels))}
	}
}

// String returns the canonical text, which ParseMetric reads back.
func (m Metric) String() string {
	text := m.Name
	if m.Statistic != "" {
		text += "." + m.Statistic
	}
	return text + m.Selector.suffix()
}

// MarshalText writes the canonical text.
func (m Metric) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads what ParseMetric reads.
func (m *Metric) UnmarshalText(text []byte) error {
	parsed, errs := ParseMetric(string(text), field.NewPath("metric"))
	if len(errs) > 0 {
		return errs.ToAggregate()
	}
	*m = parsed
	return nil
}

// Unit is what values of the metric are in.
func (m Metric) Unit() Unit { return m.definition().unit }

// Direction says which way the metric improves.
func (m Metric) Direction() Direction { return m.definition().direction }

// Help defines the metric in a sentence.
func (m Metric) Help() string { return m.definition().help }

// NeedsTargets reports whether the metric has values only where the scenario
// states SLO targets.
func (m Metric) NeedsTargets() bool { return findFamily(m.Name).needs.targets }

// NeedsPrices reports whether the metric has values only where every pool has a
// price.
func (m Metric) NeedsPrices() bool { return findFamily(m.Name).needs.prices }

// NeedsTenants reports whether the metric has values only where two or more
// tenants send requests.
func (m Metric) NeedsTenants() bool { return findFamily(m.Name).needs.tenants }

// Needs says what the scenario must have in addition to targets, prices and tenants,
// for the metric to have values.
func (m Metric) Needs() Need { return m.definition().needs }

// definition panics where the metric was not made by ParseMetric.
func (m Metric) definition() *statistic {
	if f := findFamily(m.Name); f != nil {
		if s := f.find(m.Statistic); s != nil {
			return s
		}
	}
	panic(fmt.Sprintf("result: metric %q is not in the registry", m))
}

// RegisteredMetrics returns every metric of the registry over all requests.
func RegisteredMetrics() []Metric {
	var metrics []Metric
	for i := range families {
		for _, s := range families[i].statistics {
			metrics = append(metrics, Metric{Name: families[i].name, Statistic: s.name})
		}
	}
	return metrics
}

func familyNames() []string {
	var names []string
	for i := range families {
		names = append(names, families[i].name)
	}
	return names
}

func findFamily(name string) *family {
	i := slices.IndexFunc(families, func(f family) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return &families[i]
}

// IsLatency reports whether the metric is a figure of a latency that has a mean, the usual
// quantiles and a maximum.
func (m Metric) IsLatency() bool {
	return slices.ContainsFunc(latencyMetrics, func(l latencyMetric) bool { return l.name == m.Name })
}

// Seldom reports whether tables leave the metric out where nothing was measured.
func (m Metric) Seldom() bool { return findFamily(m.Name).seldom }

// OnDemand reports whether simulations measure the metric only where something asks for
// it.
func (m Metric) OnDemand() bool { return findFamily(m.Name).onDemand }

// TakesSelector reports whether the metric can be selected by the labels of s.
func (m Metric) TakesSelector(s Selector) bool {
	return len(s.misplaced(findFamily(m.Name).labels)) == 0
}
