// SPDX-License-Identifier: Apache-2.0

package result

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/internal/testing/jsontest"
)

func TestParseMetric(t *testing.T) {
	cases := map[string]struct {
		text      string
		want      Metric
		canonical string
	}{
		"a name and a statistic": {
			text: "ttft.p99", want: Metric{Name: "ttft", Statistic: "p99"}, canonical: "ttft.p99",
		},
		"a name without statistics": {
			text: "goodput", want: Metric{Name: "goodput"}, canonical: "goodput",
		},
		"a selector of one label": {
			text:      "tpot.mean{class=critical}",
			want:      Metric{Name: "tpot", Statistic: "mean", Selector: Selector{Class: "critical"}},
			canonical: "tpot.mean{class=critical}",
		},
		"labels are put in order": {
			text:      "goodput{pool=llama,tenant=acme,class=a.b_c-1}",
			want:      Metric{Name: "goodput", Selector: Selector{Class: "a.b_c-1", Tenant: "acme", Pool: "llama"}},
			canonical: "goodput{class=a.b_c-1,tenant=acme,pool=llama}",
		},
		"what replicas do is selected by pool": {
			text: "utilization{pool=llama}", want: Metric{Name: "utilization", Selector: Selector{Pool: "llama"}}, canonical: "utilization{pool=llama}",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, errs := ParseMetric(tc.text, field.NewPath("metric"))
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("metric, −want +got:\n%s", diff)
			}
			if got.String() != tc.canonical {
				t.Errorf("canonical text %q, want %q", got, tc.canonical)
			}
		})
	}
}

func TestParseMetricFaults(t *testing.T) {
	names := list(familyNames())
	const percentiles = "mean, p50, p90, p95, p99, max"
	cases := map[string]struct {
		text string
		want []string
	}{
		"nothing": {
			text: "",
			want: []string{`Required value: name a metric, such as ttft.p99; there are ` + names},
		},
		"an unknown name": {
			text: "ttfb.p99",
			want: []string{`Invalid value: "ttfb.p99": there is no metric "ttfb"; there are ` + names + `; did you mean "ttft.p99"?`},
		},
		"names have one case": {
			text: "TTFT.p99",
			want: []string{`Invalid value: "TTFT.p99": there is no metric "TTFT"; there are ` + names + `; did you mean "ttft.p99"?`},
		},
		"another separator": {
			text: "ttft_p99",
			want: []string{`Invalid value: "ttft_p99": there is no metric "ttft_p99"; there are ` + names + `; did you mean "ttft.p99"?`},
		},
		"another order": {
			text: "p99_ttft",
			want: []string{`Invalid value: "p99_ttft": there is no metric "p99_ttft"; there are ` + names + `; did you mean "ttft.p99"?`},
		},
		"a name that is near to none": {
			text: "latency.p99",
			want: []string{`Invalid value: "latency.p99": there is no metric "latency"; there are ` + names},
		},
		"a statistic is missing": {
			text: "ttft",
			want: []string{`Invalid value: "ttft": ttft needs a statistic, as in ttft.mean; there are ` + percentiles},
		},
		"an empty statistic": {
			text: "ttft.",
			want: []string{`Invalid value: "ttft.": ttft needs a statistic, as in ttft.mean; there are ` + percentiles},
		},
		"an unknown statistic": {
			text: "ttft.p42",
			want: []string{`Invalid value: "ttft.p42": ttft has no statistic "p42"; there are ` + percentiles},
		},
		"a statistic too many": {
			text: "goodput.p99",
			want: []string{`Invalid value: "goodput.p99": goodput takes no statistic`},
		},
		"a dot too many": {
			text: "goodput.",
			want: []string{`Invalid value: "goodput.": goodput takes no statistic`},
		},
		"an unknown label": {
			text: "ttft.p99{klass=a}",
			want: []string{`Invalid value: "ttft.p99{klass=a}": there is no label "klass"; there are class, tenant, pool, model, workload`},
		},
		"a label twice": {
			text: "ttft.p99{class=a,class=b}",
			want: []string{`Invalid value: "ttft.p99{class=a,class=b}": label class is given twice`},
		},
		"a label without a value": {
			text: "ttft.p99{class}",
			want: []string{`Invalid value: "ttft.p99{class}": label class must be the name of a class, as in class=NAME, not ""`},
		},
		"a label that is no name": {
			text: "ttft.p99{pool= a}",
			want: []string{`Invalid value: "ttft.p99{pool= a}": label pool must be the name of a pool, as in pool=NAME, not " a"`},
		},
		"an empty selector": {
			text: "ttft.p99{}",
			want: []string{`Invalid value: "ttft.p99{}": the selector is empty; leave the braces out`},
		},
		"an open selector": {
			text: "ttft.p99{class=a",
			want: []string{`Invalid value: "ttft.p99{class=a": the selector must end with }`},
		},
		"replicas serve every class": {
			text: "utilization{class=a,tenant=b}",
			want: []string{`Invalid value: "utilization{class=a,tenant=b}": utilization cannot be selected by class, tenant; it takes pool, model`},
		},
		"fairness is between tenants": {
			text: "fairness.tokens{tenant=a}",
			want: []string{`Invalid value: "fairness.tokens{tenant=a}": fairness cannot be selected by tenant; it takes class, pool, model`},
		},
		"the warm-up is of the whole run": {
			text: "warmup.steady{class=a}",
			want: []string{`Invalid value: "warmup.steady{class=a}": warmup cannot be selected by class; it is of the whole run`},
		},
		"all faults at once": {
			text: "ttft.p42{klass=a,pool=}",
			want: []string{
				`Invalid value: "ttft.p42{klass=a,pool=}": ttft has no statistic "p42"; there are ` + percentiles,
				`Invalid value: "ttft.p42{klass=a,pool=}": there is no label "klass"; there are class, tenant, pool, model, workload`,
				`Invalid value: "ttft.p42{klass=a,pool=}": label pool must be the name of a pool, as in pool=NAME, not ""`,
			},
		},
		"too long": {
			text: strings.Repeat("x", MaxMetricLength+1),
			want: []string{`Too long: may not be more than 256 bytes`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			path := field.NewPath("spec", "objectives").Index(2).Child("metric")
			_, errs := ParseMetric(tc.text, path)
			var got, want []string
			for _, err := range errs {
				got = append(got, err.Error())
			}
			for _, w := range tc.want {
				want = append(want, "spec.objectives[2].metric: "+w)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("errors, −want +got:\n%s", diff)
			}
		})
	}
}

func TestRegistryIsSound(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range RegisteredMetrics() {
		name := m.String()
		if seen[name] {
			t.Errorf("%s is there twice", name)
		}
		seen[name] = true
		if back := MustParseMetric(name); back != m {
			t.Errorf("%s reads back as %s", name, back)
		}
		if strings.TrimSpace(m.Help()) == "" || m.Unit() == "" || m.Direction() == "" {
			t.Errorf("%s: unit %q, direction %q, help %q", name, m.Unit(), m.Direction(), m.Help())
		}
	}
}

func TestMetricKnowsItself(t *testing.T) {
	cases := map[string]struct {
		unit      Unit
		direction Direction
		targets   bool
	}{
		"ttft.p99":            {Seconds, Minimize, false},
		"goodput{class=a}":    {Share, Maximize, true},
		"attainment.tpot":     {Share, Maximize, true},
		"completionRate":      {Share, Maximize, false},
		"rejectionRate":       {Share, Minimize, false},
		"throughput.requests": {PerSecond, Maximize, false},
		"fairness.tokens":     {Index, Maximize, false},
		"preemptions":         {Count, Minimize, false},
		"replicaHours":        {Hours, Minimize, false},
		"warmup.steady":       {Share, Maximize, false},
		"cost":                {Currency, Minimize, false},
	}
	for text, want := range cases {
		m := MustParseMetric(text)
		if m.Unit() != want.unit || m.Direction() != want.direction || m.NeedsTargets() != want.targets {
			t.Errorf("%s: %s, %s, needs targets %v; want %+v", text, m.Unit(), m.Direction(), m.NeedsTargets(), want)
		}
	}
}

func TestMetricIsTextInJSON(t *testing.T) {
	in := Objective{Measure: Of(MustParseMetric("ttft.p99{pool=b,class=a}")), Direction: Minimize}
	raw := jsontest.Encode(t, in)
	if want := `{"metric":"ttft.p99{class=a,pool=b}","direction":"Minimize"}`; string(raw) != want {
		t.Errorf("JSON %s, want %s", raw, want)
	}
	out := jsontest.Decode[Objective](t, raw)
	if out != in {
		t.Errorf("read back %+v, want %+v", out, in)
	}
	if err := json.Unmarshal([]byte(`{"metric":"nothing.p99"}`), &out); err == nil {
		t.Error("an unknown metric was read from JSON")
	}
	if err := json.Unmarshal([]byte(`{"metric":"perRequest"}`), &out); err != nil || out.Measure.String() != "perRequest" || out.Measure.Unit() != Number {
		t.Errorf("a derived metric is read as %s in %s, %v", out.Measure, out.Measure.Unit(), err)
	}
}

func FuzzParseMetric(f *testing.F) {
	for _, m := range RegisteredMetrics() {
		f.Add(m.String())
	}
	for _, text := range []string{"", ".", "{", "ttft.p99{class=a,tenant=b,pool=c}", "goodput{class=a", "cost{pool=x}}", "ttft.p99{pool=é}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, errs := ParseMetric(text, field.NewPath("metric"))
		if len(errs) > 0 {
			if m != (Metric{}) {
				t.Fatalf("%q: a metric beside errors: %+v", text, m)
			}
			return
		}
		again, errs := ParseMetric(m.String(), nil)
		if len(errs) > 0 || again != m {
			t.Fatalf("%q reads as %+v, its text %q as %+v %v", text, m, m, again, errs)
		}
		if len(m.String()) != len(text) {
			t.Fatalf("%q and its canonical text %q differ in more than order", text, m)
		}
	})
}
