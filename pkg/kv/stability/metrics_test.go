// SPDX-License-Identifier: Apache-2.0

package stability_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/kv/stability"
)

func TestWriteMetrics(t *testing.T) {
	var got strings.Builder
	err := stability.WriteMetrics(&got, stability.Sample{State: stability.State{
		ArrivalsPerSecond: 12.5, ServedPerSecond: 10, Utilization: 1.25, CriticalArrivalsPerSecond: 8,
		MinimumStableBlocks: 1_234_567, StabilityMarginPercent: -25,
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := `# HELP queueing_lambda Current arrival rate (req/sec)
# TYPE queueing_lambda gauge
queueing_lambda 12.5
# HELP queueing_mu Current service rate (req/sec)
# TYPE queueing_mu gauge
queueing_mu 10
# HELP queueing_rho Utilization (dimensionless, unstable from 1 on)
# TYPE queueing_rho gauge
queueing_rho 1.25
# HELP queueing_is_stable 1 if stable, 0 otherwise
# TYPE queueing_is_stable gauge
queueing_is_stable 0
# HELP queueing_lambda_critical Critical arrival rate threshold (req/sec)
# TYPE queueing_lambda_critical gauge
queueing_lambda_critical 8
# HELP queueing_minimum_stable_blocks Minimum stable blocks for this arrival rate, margin included (blocks)
# TYPE queueing_minimum_stable_blocks gauge
queueing_minimum_stable_blocks 1.234567e+06
# HELP queueing_stability_margin_pct (1 - rho) * 100 (%)
# TYPE queueing_stability_margin_pct gauge
queueing_stability_margin_pct -25
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
}

// samples returns the lines that are not comments.
func samples(t *testing.T, of ...stability.Sample) []string {
	t.Helper()
	var text strings.Builder
	if err := stability.WriteMetrics(&text, of...); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(text.String()) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}

func TestWriteMetricsOfWhatIsNotKnown(t *testing.T) {
	if diff := cmp.Diff([]string{"queueing_lambda 3"}, samples(t, stability.Sample{State: stability.State{Insufficient: true, ArrivalsPerSecond: 3}})); diff != "" {
		t.Errorf("insufficient (-want +got):\n%s", diff)
	}
	endless := samples(t, stability.Sample{State: stability.State{IsStable: true, ServedPerSecond: math.Inf(1), CriticalArrivalsPerSecond: math.Inf(1)}})
	if diff := cmp.Diff([]string{
		"queueing_lambda 0", "queueing_mu +Inf", "queueing_rho 0", "queueing_is_stable 1", "queueing_lambda_critical +Inf",
		"queueing_minimum_stable_blocks 0", "queueing_stability_margin_pct 0",
	}, endless); diff != "" {
		t.Errorf("requests that hold nothing (-want +got):\n%s", diff)
	}
}

func TestWriteMetricsOfSeveral(t *testing.T) {
	got := samples(t,
		stability.Sample{Labels: []stability.Label{{Name: "pool", Value: "a"}, {Name: "replica", Value: "0"}}, State: stability.State{ArrivalsPerSecond: 1, Insufficient: true}},
		stability.Sample{Labels: []stability.Label{{Name: "pool", Value: `quoted "b\`}}, State: stability.State{ArrivalsPerSecond: 2, IsStable: true}},
	)
	want := []string{
		`queueing_lambda{pool="a",replica="0"} 1`, `queueing_lambda{pool="quoted \"b\\"} 2`,
		`queueing_mu{pool="quoted \"b\\"} 0`, `queueing_rho{pool="quoted \"b\\"} 0`, `queueing_is_stable{pool="quoted \"b\\"} 1`,
		`queueing_lambda_critical{pool="quoted \"b\\"} 0`, `queueing_minimum_stable_blocks{pool="quoted \"b\\"} 0`,
		`queueing_stability_margin_pct{pool="quoted \"b\\"} 0`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("two states (-want +got):\n%s", diff)
	}
}

// broken is a writer that does not write.
type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

func TestWriteMetricsReportsItsWriter(t *testing.T) {
	full := errors.New("disk full")
	if err := stability.WriteMetrics(broken{full}, stability.Sample{}); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
}
