// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/expression"
)

// Measure is what objectives, constraints and gates are about: a metric of the
// registry, or one that is derived from several. It comes from
// [Measures.Parse] or [Of] and is comparable; equal ones of one [Measures] are
// the same.
type Measure struct {
	metric  Metric
	derived *derived // nil for a metric of the registry
}

// Derived is a metric made of others, as the user writes it.
type Derived struct {
	Name string
	// Expression is in CEL and yields a number. Metrics are variables of their
	// names, such as cost / throughput.requests; one with a selector is written
	// metric("ttft.p99{class=critical}"). Derived ones that come before can be
	// used as well.
	Expression string
}

// derived is a compiled Derived.
type derived struct {
	name       string
	expression *expression.Expression
	terms      map[string]Measure // by the name in the expression
	uses       []Metric
}

// Measures reads measures where some are derived. The zero value knows the
// registry's metrics only.
type Measures struct {
	derived []*derived
}

// NewMeasures compiles derived metrics. Errors are at path[i].name and
// path[i].expression.
func NewMeasures(in []Derived, path *field.Path) (Measures, field.ErrorList) {
	var m Measures
	var errs field.ErrorList
	for i, d := range in {
		at := path.Index(i)
		if findFamily(d.Name) != nil {
			errs = append(errs, field.Invalid(at.Child("name"), d.Name, "is the name of a metric that there is already"))
		}
		if m.find(d.Name) != nil {
			errs = append(errs, field.Duplicate(at.Child("name"), d.Name))
		}
		compiled, err := m.compile(d)
		if err != nil {
			errs = append(errs, field.Invalid(at.Child("expression"), d.Expression, err.Error()))
			compiled = &derived{name: d.Name}
		}
		m.derived = append(m.derived, compiled)
	}
	return m, errs
}

func (m Measures) find(name string) *derived {
	i := slices.IndexFunc(m.derived, func(d *derived) bool { return d.name == name })
	if i < 0 {
		return nil
	}
	return m.derived[i]
}

func (m Measures) compile(in Derived) (*derived, error) {
	d := &derived{name: in.Name, terms: map[string]Measure{}}
	kind := func(name string) (expression.Kind, error) {
		term, errs := m.Parse(name, nil)
		if len(errs) > 0 {
			return 0, fmt.Errorf("%s", errs[0].Detail)
		}
		d.terms[name] = term
		for _, used := range term.Uses() {
			if !slices.Contains(d.uses, used) {
				d.uses = append(d.uses, used)
			}
		}
		return expression.Number, nil
	}
	var err error
	d.expression, err = expression.Compile(in.Expression, expression.Names{Function: "metric", Kind: kind}, expression.Number)
	return d, err
}

// Parse reads a derived metric's name, or what [ParseMetric] reads.
func (m Measures) Parse(text string, path *field.Path) (Measure, field.ErrorList) {
	if d := m.find(text); d != nil {
		return Measure{derived: d}, nil
	}
	metric, errs := ParseMetric(text, path)
	return Measure{metric: metric}, errs
}

// Of returns the measure that a metric of the registry is.
func Of(m Metric) Measure { return Measure{metric: m} }

// String returns the metric's canonical text, or the derived metric's name.
func (m Measure) String() string {
	if m.derived != nil {
		return m.derived.name
	}
	return m.metric.String()
}

// Pool is the pool that the measure is of; "" of a derived one, and where no pool is selected.
func (m Measure) Pool() string { return m.metric.Selector.Pool }

// OfAllPools is the measure without its pool.
func (m Measure) OfAllPools() Measure {
	m.metric.Selector.Pool = ""
	return m
}

// IsAmount reports whether a part of the requests has less of the measure than all requests, even
// if each is served alike: a count, a rate, the hours or the cost of replicas, or a share of the requests.
func (m Measure) IsAmount() bool {
	switch m.Unit() {
	case Count, PerSecond, Hours, Currency:
		return true
	}
	return m.derived == nil && m.metric.Needs() == NeedsRoute
}

// MarshalText writes what String returns.
func (m Measure) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// derivedName is what the API allows as the name of a derived metric.
var derivedName = regexp.MustCompile(`^[A-Za-z]([_A-Za-z0-9]{0,61}[A-Za-z0-9])?$`)

// UnmarshalText reads what MarshalText writes. Of a derived metric no more than
// the name is known then: it has no values.
func (m *Measure) UnmarshalText(text []byte) error {
	metric, errs := ParseMetric(string(text), field.NewPath("metric"))
	switch {
	case len(errs) == 0:
		*m = Of(metric)
	case findFamily(string(text)) == nil && derivedName.Match(text):
		*m = Measure{derived: &derived{name: string(text)}}
	default:
		return errs.ToAggregate()
	}
	return nil
}

// Unit is what values are in.
func (m Measure) Unit() Unit {
	if m.derived != nil {
		return Number
	}
	return m.metric.Unit()
}

// Direction says which way the measure improves; it is empty of a derived one.
func (m Measure) Direction() Direction {
	if m.derived != nil {
		return ""
	}
	return m.metric.Direction()
}

// Uses returns the metrics of the registry that values are worked out from,
// each once.
func (m Measure) Uses() []Metric {
	if m.derived != nil {
		return m.derived.uses
	}
	return []Metric{m.metric}
}

// Value returns a row's value; false where a metric that it takes has none,
// where something is divided by 0, and where the expression cannot be evaluated
// otherwise.
func (m Measure) Value(r *Row) (float64, bool) { return m.Reader().Value(r) }

// Reader reads a measure from many rows.
type Reader struct {
	name    string // of a metric
	derived *derived
	terms   map[string]Reader
}

// Reader makes the measure ready to be read from many rows.
func (m Measure) Reader() Reader {
	if m.derived == nil {
		return Reader{name: m.metric.String()}
	}
	s := Reader{derived: m.derived, terms: make(map[string]Reader, len(m.derived.terms))}
	for name, term := range m.derived.terms {
		s.terms[name] = term.Reader()
	}
	return s
}

// Value is [Measure.Value].
func (s Reader) Value(r *Row) (float64, bool) {
	if s.derived == nil {
		return r.Metrics.Get(s.name)
	}
	if s.derived.expression == nil {
		return 0, false
	}
	value, ok, err := s.derived.expression.Number(func(name string) (float64, bool) { return s.terms[name].Value(r) })
	return value, ok && err == nil
}

// values returns the values of rows that have one.
func (s Reader) values(rows []Row) []float64 {
	values := make([]float64, 0, len(rows))
	for i := range rows {
		if value, ok := s.Value(&rows[i]); ok {
			values = append(values, value)
		}
	}
	return values
}
