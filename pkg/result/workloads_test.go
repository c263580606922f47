// SPDX-License-Identifier: Apache-2.0

package result

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// workloadRow is the row of a simulation under a workload.
func workloadRow(workload string, metrics map[string]float64) Row {
	return Row{Key: "k" + workload, Point: 3, Seed: 7, Share: 1, Workload: workload, Metrics: NewMetrics(metrics)}
}

func TestMergeWorkloads(t *testing.T) {
	calm := workloadRow("calm", map[string]float64{"goodput": 1, "ttft.p99": 0.25, "ttft.p99{tenant=a}": 0.5})
	storm := workloadRow("storm", map[string]float64{"goodput": 0.5, "ttft.p99": 0.75})
	calm.RejectedBy, storm.RejectedBy = Rejections{"shed": 1}, Rejections{"shed": 2, "noRoom": 3}
	asked := []Metric{MustParseMetric("goodput"), MustParseMetric("goodput{workload=storm}"), MustParseMetric("ttft.p99{tenant=a,workload=calm}")}

	got := MergeWorkloads([]Row{calm, storm}, asked)
	want := map[string]float64{
		"goodput": 0.75, "ttft.p99": 0.5,
		"goodput{workload=storm}": 0.5, "ttft.p99{tenant=a,workload=calm}": 0.5,
	}
	values := map[string]float64{}
	for name, value := range got.Metrics.All() {
		values[name] = value
	}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Rejections{"shed": 3, "noRoom": 3}, got.RejectedBy); diff != "" {
		t.Errorf("rejections (-want +got):\n%s", diff)
	}
	if got.Point != 3 || got.Seed != 7 || got.Share != 1 || got.Workload != "" {
		t.Errorf("the merged row is of %+v", got)
	}

	storm = Row{Point: 3, Seed: 7, Share: 1, Workload: "storm", Error: "no pool", Lost: true}
	if got = MergeWorkloads([]Row{calm, storm}, asked); got.Error != "workload storm: no pool" || !got.Lost {
		t.Errorf("with a workload that failed, the row says %q", got.Error)
	}
}

func TestMetricUnderAWorkload(t *testing.T) {
	metric := MustParseMetric("ttft.p99{workload=storm,class=chat}")
	if got := metric.String(); got != "ttft.p99{class=chat,workload=storm}" {
		t.Errorf("the canonical text is %s", got)
	}
	of, wanted := metric.Under("storm")
	if _, elsewhere := metric.Under("calm"); of.String() != "ttft.p99{class=chat}" || !wanted || elsewhere {
		t.Errorf("under storm it is %s (%v), under calm it is wanted: %v", of, wanted, elsewhere)
	}
}
