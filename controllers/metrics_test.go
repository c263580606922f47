// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/observe"
)

// scrape returns all samples of collectors, one a line, of histograms the counts.
func scrape(t *testing.T, collectors ...prometheus.Collector) []string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(collectors...)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, family := range families {
		for _, m := range family.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			value := m.GetGauge().GetValue() + m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
			if value != 0 {
				lines = append(lines, fmt.Sprintf("%s{%s} %v", strings.TrimPrefix(family.GetName(), "windtunnel_"), strings.Join(labels, ","), value))
			}
		}
	}
	return lines
}

// led is closed: who asks leads.
func led() <-chan struct{} {
	leading := make(chan struct{})
	close(leading)
	return leading
}

func TestTheStateOfObjectsAsMetrics(t *testing.T) {
	c := newCluster(t)
	fresh := builder.MakeRun("fresh", "team-a").Obj()
	half := weights().Obj()
	half.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Reason: v1alpha1.ReasonRunning}}
	half.Status.Progress = &v1alpha1.ProgressStatus{Total: 10, Completed: 4}
	done := builder.MakeSweep("done", "team-b").Values("replicas", replicasPath, "1").Generation(1).Obj()
	done.Status.ObservedGeneration = 1
	done.Status.Conditions = []metav1.Condition{
		{Type: v1alpha1.ConditionReady, Reason: v1alpha1.ReasonComplete},
		{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue},
	}
	done.Status.Progress = &v1alpha1.ProgressStatus{Total: 10, Completed: 9}
	done.Status.Gates = []v1alpha1.GateStatus{{Name: "latency", Verdict: v1alpha1.GatePass}, {Name: "cost", Verdict: v1alpha1.GateFail}}
	done.Status.Best = &v1alpha1.PointStatus{Objectives: []v1alpha1.MetricValue{{Metric: "ttft.p99", Mean: "0.25"}, {Metric: "goodput", Mean: "NoFigure"}}}
	done.Status.Baseline = &v1alpha1.PointStatus{Objectives: []v1alpha1.MetricValue{{Metric: "ttft.p99", Mean: "0.5"}}}
	c.create(fresh)
	c.create(half)
	c.create(done)
	all := []string{
		"gate{gate=cost,kind=PolicySweep,name=done,namespace=team-b,verdict=Fail} 1",
		"gate{gate=latency,kind=PolicySweep,name=done,namespace=team-b,verdict=Pass} 1",
		"gates{kind=PolicySweep,namespace=team-b,verdict=Fail} 1",
		"gates{kind=PolicySweep,namespace=team-b,verdict=Pass} 1",
		"objects{kind=PolicySweep,namespace=team-a,state=Running} 1",
		"objects{kind=PolicySweep,namespace=team-b,state=Complete} 1",
		"objects{kind=SimulationRun,namespace=team-a,state=New} 1",
		"simulations_waiting{kind=PolicySweep,namespace=team-a} 6",
		"sweep_objective{candidate=baseline,metric=ttft.p99,name=done,namespace=team-b} 0.5",
		"sweep_objective{candidate=best,metric=ttft.p99,name=done,namespace=team-b} 0.25",
	}
	perObject := func(line string) bool {
		return strings.HasPrefix(line, "gate{") || strings.HasPrefix(line, "sweep_objective{")
	}
	for name, tc := range map[string]struct {
		exporter exporter
		want     []string
	}{
		"all":                         {exporter{cache: c.client, leading: led(), perObject: true}, all},
		"but those of single objects": {exporter{cache: c.client, leading: led()}, slices.DeleteFunc(slices.Clone(all), perObject)},
		"none of who does not lead":   {exporter{cache: c.client, leading: make(chan struct{}), perObject: true}, nil},
	} {
		if diff := cmp.Diff(tc.want, scrape(t, tc.exporter)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestWhatIsCounted follows a sweep from its creation over an edit, which reuses what
// is known, to its second end.
func TestWhatIsCounted(t *testing.T) {
	c := newCluster(t)
	sweep := weights().Obj()
	c.create(sweep)
	c.reconcile(sweep)
	for index := range shards {
		c.pass(time.Minute)
		c.succeed(c.job(), index)
		c.reconcile(sweep)
	}
	edit(c, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Replications.Seeds = []int64{1} })
	c.reconcile(sweep)
	counted := slices.DeleteFunc(scrape(t, c.reconcilers[v1alpha1.PolicySweepKind].applier.counters), func(line string) bool { return strings.HasPrefix(line, "api_writes_total") })
	want := []string{
		"simulations_total{kind=PolicySweep,namespace=team-a,source=reused} 2",
		"simulations_total{kind=PolicySweep,namespace=team-a,source=simulated} 4",
		"time_to_end_seconds{kind=PolicySweep,outcome=Complete} 2",
	}
	if diff := cmp.Diff(want, counted); diff != "" {
		t.Errorf("counted (-want +got):\n%s", diff)
	}
}

func TestHowWritesAreCounted(t *testing.T) {
	jobs := schema.GroupResource{Group: "batch", Resource: "jobs"}
	for want, errs := range map[string][]error{
		"ok":       {nil},
		"conflict": {apierrors.NewConflict(jobs, "a", errors.New("changed")), apierrors.NewAlreadyExists(jobs, "a"), apierrors.NewNotFound(jobs, "a")},
		"refused":  {apierrors.NewForbidden(jobs, "a", errors.New("exceeded quota"))},
		"error":    {apierrors.NewInternalError(errors.New("etcd is away")), apierrors.NewTooManyRequests("slow down", 1)},
	} {
		for _, err := range errs {
			counts := newCounters()
			counts.countWrite("create", "Job", err)
			if got := scrape(t, counts); len(got) != 1 || got[0] != fmt.Sprintf("api_writes_total{object=Job,result=%s,verb=create} 1", want) {
				t.Errorf("%v: counted %v, want %s", err, got, want)
			}
		}
	}
}

const operationsPage = "../docs/operations.md"

// TestTheOperationsPageListsTheMetrics holds the page's table against the code; with
// -update it is written anew.
func TestTheOperationsPageListsTheMetrics(t *testing.T) {
	var table strings.Builder
	table.WriteString("| metric | type | labels | what it is |\n|---|---|---|---|\n")
	for _, m := range metrics {
		fmt.Fprintf(&table, "| `%s` | %s | `%s` | %s |\n", m.name, m.typ, strings.Join(m.labels, "`, `"), m.help)
	}
	raw := testfile.Read(t, operationsPage)
	const begin, end = "<!-- metrics: written by a test -->\n", "<!-- end -->"
	before, rest, ok1 := strings.Cut(string(raw), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s lacks %q or %q", operationsPage, begin, end)
	}
	golden.Check(t, operationsPage, before+begin+table.String()+end+after)
}

// expressions are the PromQL texts of the alerts and of the dashboard, by where they
// are.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	var walk func(where string, node any)
	walk = func(where string, node any) {
		switch node := node.(type) {
		case map[string]any:
			for key, child := range node {
				text, isText := child.(string)
				if isText && (key == "expr" || key == "query") {
					found[fmt.Sprintf("%s.%s#%d", where, key, len(found))] = text
				}
				walk(where+"."+key, child)
			}
		case []any:
			for i, child := range node {
				walk(fmt.Sprintf("%s[%d]", where, i), child)
			}
		}
	}
	for _, file := range []string{"prometheus/alerts.yaml", "dashboards/windtunnel.json"} {
		raw := testfile.Read(t, filepath.Join("..", "config", file))
		var document any
		if err := yaml.Unmarshal(raw, &document); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		walk(file, document)
	}
	return found
}

var (
	metricName = regexp.MustCompile(`\b(windtunnel|controller_runtime|workqueue|rest_client|leader_election|process)_[a-z_]+`)
	// grouping are labels that an expression names: in by (…), or with a matcher.
	grouping = regexp.MustCompile(`\b(?:by|without)\s*\(([^)]*)\)|([a-z_]+)\s*(?:=~|!=|!~|=)"`)
)

// foreign are metrics of controller-runtime and client-go. That a manager exports
// what alerts and dashboard name of them is tested with a real one.
var foreign = []string{
	"controller_runtime_reconcile_errors_total", "controller_runtime_reconcile_time_seconds_bucket", "controller_runtime_reconcile_total",
	"leader_election_master_status", "process_cpu_seconds_total", "process_resident_memory_bytes",
	"rest_client_requests_total", "workqueue_depth", "workqueue_longest_running_processor_seconds", "workqueue_queue_duration_seconds_bucket",
}

// TestAlertsAndDashboardNameWhatIsExported holds each expression's metrics and labels
// against those that there are.
func TestAlertsAndDashboardNameWhatIsExported(t *testing.T) {
	labels := map[string][]string{}
	for _, m := range metrics {
		names := []string{m.name}
		if m.typ == "histogram" {
			names = []string{m.name + "_bucket", m.name + "_sum", m.name + "_count"}
		}
		for _, name := range names {
			labels[name] = append(slices.Clone(m.labels), "le", "job", "pod", "instance")
		}
	}
	for _, m := range observe.Exports() {
		labels[m.Name] = m.Labels
	}
	found := expressions(t)
	if len(found) < 20 {
		t.Errorf("%d expressions, want those of the alerts and of the dashboard", len(found))
	}
	for where, text := range found {
		var known []string
		ours := true
		for _, name := range metricName.FindAllString(text, -1) {
			if slices.Contains(foreign, name) {
				ours = false
				continue
			}
			if labels[name] == nil {
				t.Errorf("%s: nobody exports %s: %s", where, name, text)
			}
			known = append(known, labels[name]...)
		}
		for _, match := range grouping.FindAllStringSubmatch(text, -1) {
			for _, label := range strings.FieldsFunc(match[1]+match[2], func(r rune) bool { return r == ',' || r == ' ' }) {
				if ours && !slices.Contains(known, label) {
					t.Errorf("%s: no metric has a label %s: %s", where, label, text)
				}
			}
		}
	}
}
