// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"bytes"
	"cmp"
	_ "embed" // the built-in checks
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

// CheckedMetric is a latency that predictions were held against measurements of.
type CheckedMetric string

// Of E2E there may be no check: it is a sum of the two others.
const (
	CheckedTTFT CheckedMetric = "TTFT"
	CheckedTPOT CheckedMetric = "TPOT"
	CheckedE2E  CheckedMetric = "E2E"
)

// checkedMetrics are all of them, in the order in which results name them.
var checkedMetrics = []CheckedMetric{CheckedTPOT, CheckedTTFT, CheckedE2E}

// ModelKind tells models whose step times have different errors.
type ModelKind string

// A model is dense, or has layers of experts.
const (
	Dense   ModelKind = "Dense"
	Experts ModelKind = "Experts"
)

// Kind returns the kind of the model.
func (m Model) Kind() ModelKind {
	if m.MoE != nil {
		return Experts
	}
	return Dense
}

// Check says how far predictions with the catalogue's own coefficients were off on
// measured points of one metric. A ratio is the prediction ÷ the measured mean of a
// point, and its error the distance from 1.
type Check struct {
	Accelerator string    `json:"accelerator"`
	Kind        ModelKind `json:"kind"`
	// TensorParallelism are the numbers of GPUs that the points have.
	TensorParallelism []int     `json:"tensorParallelism"`
	Weights           Precision `json:"weights"`
	// FromVersion and ToVersion are the oldest and the newest release of vLLM among the
	// points, such as 0.11. Empty ones are not known.
	FromVersion string        `json:"fromVersion,omitempty"`
	ToVersion   string        `json:"toVersion,omitempty"`
	Metric      CheckedMetric `json:"metric"`
	// Points is their number.
	Points      int     `json:"points"`
	MedianRatio float64 `json:"medianRatio"`
	// The errors are the mean, and the one that 90 % of the points do not exceed; 0 where
	// that is not known.
	MeanAbsoluteErrorPercent float64 `json:"meanAbsoluteErrorPercent"`
	P90AbsoluteErrorPercent  float64 `json:"p90AbsoluteErrorPercent,omitempty"`
	// Fitted says that constants were fitted to these points.
	Fitted bool `json:"fitted,omitempty"`
	// Source names models and measurements in a few words.
	Source string `json:"source"`
}

// With returns the check with the figures of points, of which the ratios are given.
func (c Check) With(ratios []float64) Check {
	sorted, errs := slices.Sorted(slices.Values(ratios)), make([]float64, len(ratios))
	sum, n := 0., len(ratios)
	for i, r := range sorted {
		errs[i] = float64(math.Abs(r-1) * 100)
		sum += errs[i]
	}
	slices.Sort(errs)
	c.Points = n
	c.MedianRatio = (sorted[(n-1)/2] + sorted[n/2]) / 2
	c.MeanAbsoluteErrorPercent = sum / float64(n)
	if c.P90AbsoluteErrorPercent = 0; n > 1 {
		c.P90AbsoluteErrorPercent = errs[(9*n+9)/10-1]
	}
	return c
}

// Checks are the rows of a table of checks.
type Checks []Check

//go:embed catalogue/checks.yaml
var checksYAML []byte

// BuiltinChecks returns the checks of the built-in catalogue.
var BuiltinChecks = sync.OnceValue(func() Checks {
	checks, err := parseChecks(checksYAML)
	if err != nil {
		panic(fmt.Sprintf("latency: embedded checks: %v", err))
	}
	return checks
})

// parseChecks reads what [Checks.YAML] writes.
func parseChecks(raw []byte) (Checks, error) {
	var file struct {
		Checks Checks `json:"checks"`
	}
	if err := yaml.UnmarshalStrict(raw, &file); err != nil {
		return nil, err
	}
	var errs []error
	for i := range file.Checks {
		if err := file.Checks[i].validate(); err != nil {
			errs = append(errs, fmt.Errorf("checks[%d]: %w", i, err))
		}
	}
	return file.Checks, errors.Join(errs...)
}

func (c *Check) validate() error {
	_, known := Builtin().Accelerator(c.Accelerator)
	_, _, err := c.versions()
	switch {
	case !known:
		return fmt.Errorf("accelerator: the catalogue has no %q", c.Accelerator)
	case c.Kind != Dense && c.Kind != Experts:
		return fmt.Errorf("kind: must be %s or %s, not %q", Dense, Experts, c.Kind)
	case len(c.TensorParallelism) == 0 || slices.Min(c.TensorParallelism) < 1:
		return fmt.Errorf("tensorParallelism: must be numbers of GPUs, not %v", c.TensorParallelism)
	case c.Weights == "":
		return errors.New("weights: name the format of the weights")
	case err != nil:
		return err
	case !slices.Contains(checkedMetrics, c.Metric):
		return fmt.Errorf("metric: must be one of %v, not %q", checkedMetrics, c.Metric)
	case c.Points < 1:
		return fmt.Errorf("points: must be at least 1, not %d", c.Points)
	case !(c.MedianRatio > 0) || !(c.MeanAbsoluteErrorPercent >= 0) || !(c.P90AbsoluteErrorPercent >= 0):
		return errors.New("medianRatio must be above 0, and no error below 0")
	case c.Source == "":
		return errors.New("source: name the measurement")
	}
	return nil
}

// versions returns the oldest and the newest release; zero values where they are not known.
func (c *Check) versions() (from, to EngineVersion, err error) {
	if c.FromVersion == "" && c.ToVersion == "" {
		return 0, 0, nil
	}
	from, fault := ParseEngineVersion(c.FromVersion, field.NewPath("fromVersion"))
	if fault != nil {
		return 0, 0, fault
	}
	to, fault = ParseEngineVersion(c.ToVersion, field.NewPath("toVersion"))
	switch {
	case fault != nil:
		return 0, 0, fault
	case from > to:
		return 0, 0, fmt.Errorf("fromVersion, toVersion: %s is newer than %s", from, to)
	}
	return from, to, nil
}

// YAML writes a table of checks, a row a line, in the order of what the rows are about.
func (c Checks) YAML() []byte {
	rows := slices.Clone(c)
	slices.SortStableFunc(rows, func(a, b Check) int {
		return cmp.Or(
			strings.Compare(a.Accelerator, b.Accelerator), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Weights, b.Weights),
			slices.Compare(a.TensorParallelism, b.TensorParallelism), strings.Compare(a.FromVersion, b.FromVersion), cmp.Compare(a.Metric, b.Metric))
	})
	var out bytes.Buffer
	out.WriteString(checksHeader)
	for _, row := range rows {
		out.WriteString("- " + row.line() + "\n")
	}
	return out.Bytes()
}

const checksHeader = `# Written by make validation. Do not edit.
#
# How far predictions with the catalogue's own coefficients were off on measured points:
# see Check in checks.go.

checks:
`

// line returns the check as a flow mapping.
func (c *Check) line() string {
	decimal := func(v float64, digits int) string {
		scale := math.Pow10(digits)
		return strconv.FormatFloat(math.Round(v*scale)/scale, 'f', -1, 64)
	}
	fields := []string{
		"accelerator: " + c.Accelerator, "kind: " + string(c.Kind), "tensorParallelism: [" + joinGPUs(c.TensorParallelism) + "]", "weights: " + string(c.Weights),
	}
	if c.FromVersion != "" {
		fields = append(fields, fmt.Sprintf("fromVersion: %q, toVersion: %q", c.FromVersion, c.ToVersion))
	}
	fields = append(fields, "metric: "+string(c.Metric), "points: "+strconv.Itoa(c.Points), "medianRatio: "+decimal(c.MedianRatio, 3),
		"meanAbsoluteErrorPercent: "+decimal(c.MeanAbsoluteErrorPercent, 1))
	if c.P90AbsoluteErrorPercent > 0 {
		fields = append(fields, "p90AbsoluteErrorPercent: "+decimal(c.P90AbsoluteErrorPercent, 1))
	}
	if c.Fitted {
		fields = append(fields, "fitted: true")
	}
	return "{" + strings.Join(append(fields, fmt.Sprintf("source: %q", c.Source)), ", ") + "}"
}
