// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/report/page"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// gateOptions are the flags of compare about gates, and the gates of its scenario.
type gateOptions struct {
	texts      []string
	confidence string
	report     string

	// gates are those of the scenario, then those of the flags.
	gates []v1alpha1.Gate
	// metrics are those that the scenario defines.
	metrics []v1alpha1.DerivedMetric
}

func (o *gateOptions) register(f *pflag.FlagSet) {
	f.StringArrayVar(&o.texts, "gate", nil, "condition that B must meet, such as 'ttft.p99<=+5%' against A, or 'goodput>=95%'; may be repeated")
	f.StringVar(&o.confidence, "confidence", "0.95", "confidence of the gates of --gate")
	f.StringVar(&o.report, "report", "", "`FILE` to write a report to: a page for .html, Markdown for .md; the verdict, the gates and the differences")
}

// read takes over the gates of the scenario and reads those of the flags.
func (o *gateOptions) read(of []v1alpha1.Gate, metrics []v1alpha1.DerivedMetric) error {
	o.gates, o.metrics = of, metrics
	for _, text := range o.texts {
		gate, err := parseGate(text, o.confidence)
		if err != nil {
			return cli.BadInput(err)
		}
		o.gates = append(o.gates, gate)
	}
	_, err := o.parseGates()
	return err
}

// parseGates returns the gates, ready to judge rows by.
func (o *gateOptions) parseGates() ([]result.Gate, error) {
	derived := make([]result.Derived, len(o.metrics))
	for i, m := range o.metrics {
		derived[i] = result.Derived{Name: m.Name, Expression: m.Expression}
	}
	measures, errs := result.NewMeasures(derived, field.NewPath("spec", "metrics"))
	var claims []result.Gate
	for i, g := range o.gates {
		claim, es := measures.Gate(result.GateText{
			Name: g.Name, Metric: g.Metric, Operator: string(g.Operator),
			Value: string(g.Value), VersusBaseline: string(g.VersusBaseline), Confidence: string(g.Confidence),
			ModelError: string(g.ModelError),
		}, o.path(i))
		claims, errs = append(claims, claim), append(errs, es...)
	}
	return claims, cli.BadInput(errs.ToAggregate())
}

// measures are what the gates are about, in their order.
func (o *gateOptions) measures() []string {
	names := make([]string, len(o.gates))
	for i, g := range o.gates {
		names[i] = g.Metric
	}
	return names
}

// ofScenario is how many gates the scenario has.
func (o *gateOptions) ofScenario() int { return len(o.gates) - len(o.texts) }

// path leads to the i-th gate as the user wrote it.
func (o *gateOptions) path(i int) *field.Path {
	if i < o.ofScenario() {
		return field.NewPath("spec", "gates").Index(i)
	}
	return field.NewPath(fmt.Sprintf("--gate %q", o.texts[i-o.ofScenario()]))
}

// withFlagPaths has errors of a compilation name the flags that they are about.
func (o *gateOptions) withFlagPaths(errs field.ErrorList) field.ErrorList {
	for i := o.ofScenario(); i < len(o.gates); i++ {
		compiled := field.NewPath("spec", "gates").Index(i).String()
		for _, e := range errs {
			if rest, is := strings.CutPrefix(e.Field, compiled); is {
				e.Field = o.path(i).String() + rest
			}
		}
	}
	return errs
}

// parseGate reads a gate such as ttft.p99<=+5%. A signed percentage is a change
// from A; whatever else is a bound.
func parseGate(text, confidence string) (v1alpha1.Gate, error) {
	for symbol, operator := range map[string]v1alpha1.Operator{"<=": v1alpha1.AtMost, ">=": v1alpha1.AtLeast} {
		metric, bound, found := strings.Cut(text, symbol)
		if !found {
			continue
		}
		metric, bound = strings.TrimSpace(metric), strings.TrimSpace(bound)
		g := v1alpha1.Gate{Name: strings.ReplaceAll(text, " ", ""), Metric: metric, Operator: operator, Confidence: v1alpha1.Fraction(confidence)}
		switch {
		case strings.HasSuffix(bound, "%") && strings.ContainsAny(bound[:1], "+-"):
			g.VersusBaseline = v1alpha1.RelativeChange(bound)
		case strings.HasPrefix(bound, "+"):
			return v1alpha1.Gate{}, fmt.Errorf("--gate %q: a change from A must be in percent, such as +5%%", text)
		default:
			g.Value = v1alpha1.MetricBound(bound)
		}
		return g, nil
	}
	return v1alpha1.Gate{}, fmt.Errorf("--gate %q: must be a metric, <= or >=, and a bound, such as 'ttft.p99<=+5%%' against A or 'ttft.p99<=500ms'", text)
}

// verdict says what the gates say of B, nil without gates, and how far what tells B
// from A was exercised.
func (o *gateOptions) verdict(sides [2]*side) (*study.Judged, *result.Change, error) {
	claims, err := o.parseGates()
	if err != nil {
		return nil, nil, err
	}
	change := changeOf(sides, claims)
	if len(claims) == 0 {
		return nil, change, nil
	}
	var results []result.GateResult
	for i := range claims {
		a, b := sides[0].contender(&claims[i]), sides[1].contender(&claims[i])
		b.Change = change
		results = append(results, claims[i].JudgeOne(b, a))
	}
	return study.Judge(results), change, nil
}

// contender is the side as a gate needs it.
func (s *side) contender(g *result.Gate) *result.Contender {
	c := &result.Contender{Rows: s.rows}
	switch {
	case !g.ModelError:
	case s.scenario == nil:
		c.ModelError = result.ModelError{Unchecked: true, Why: fmt.Sprintf("the results of %s do not say what was simulated", s.name), Settles: "compare what compare simulates itself"}
	default:
		c.ModelError = new(setup.Builder).ModelError(s.scenario, g.Measure.Checked())
	}
	return c
}

// changeOf says how far what tells B from A was exercised.
func changeOf(sides [2]*side, claims []result.Gate) *result.Change {
	var gated []result.Measure
	for _, claim := range claims {
		gated = append(gated, claim.Measure)
	}
	var scenarios func() (before, after experiment.Tree, err error)
	if sides[0].scenario != nil && sides[1].scenario != nil {
		scenarios = func() (before, after experiment.Tree, err error) { return sides[0].scenario, sides[1].scenario, nil }
	}
	change := experiment.NewChange(sides[1].rows, sides[0].rows, gated, scenarios)
	if change == nil {
		return &result.Change{} // a side has no results, which is said elsewhere
	}
	if differing, known := differingDecisions(sides); known && change.Decisions > 0 {
		change.Differing = &differing
	}
	return change
}

// sentence is the verdict with what tells the sides apart: that nothing does, or, without gates,
// which side wins.
func sentence(v *study.Judged, change *result.Change, c *result.Contrast) string {
	advice := v.View().Advice()
	switch {
	case change.SameConfiguration:
		return fmt.Sprintf("%s; %s", advice, change)
	case v == nil && change.Unexercised != "":
		return unexercised(change).Sentence()
	case v == nil:
		return advice + "; " + report.ContrastVerdict(c)
	case v.Outcome == verdict.Fail && c.Same():
		return advice + "; both sides are equal under every seed"
	default:
		return advice
	}
}

// unexercised is the verdict on a change that no simulation exercised, where there are no gates.
func unexercised(change *result.Change) *verdict.Verdict {
	return &verdict.Verdict{Outcome: verdict.Undecided, Reason: verdict.ChangeNotExercised, Message: change.Unexercised}
}

// writeReport writes the report, if one is wanted.
func (o *gateOptions) writeReport(contrast *result.Contrast, v *study.Judged, change *result.Change, sides [2]*side) error {
	if o.report == "" {
		return nil
	}
	r := report.Replacement{Contrast: contrast, Change: change, Verdict: *v.View()}
	if v == nil && change.Unexercised != "" {
		r.Verdict = *unexercised(change)
	}
	r.Sentence = sentence(v, change, contrast)
	if v != nil {
		r.Gates = v.Results
	}
	for _, s := range sides {
		for _, line := range s.stepTimes {
			r.Basis = append(r.Basis, fmt.Sprintf("Step times of %s: %s.", s.name, line))
		}
	}
	p := &page.Replacement{Report: &r}
	write := p.Markdown
	if cli.ReportFormat(o.report) == cli.HTML {
		write = p.Write
	}
	return cli.BadInput(cli.WriteWhole(o.report, write))
}
