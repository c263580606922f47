// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// WriteEntry writes the accelerator with the shares of its peaks and of its link
// that were achieved, as YAML that latency.ParseEntries reads. The other coefficients have
// no place in a catalogue: a comment holds them in the form that a pool takes,
// the three overheads and whatever is not as usual. fittedTo names the runs in
// that comment, and on says for results what the shares were fitted on.
func WriteEntry(w io.Writer, a latency.Accelerator, c latency.RooflineCoefficients, fittedTo string, on *latency.Provenance) error {
	a.MemoryEfficiency = c.MemoryEfficiency
	a.PrefillEfficiency = c.PrefillEfficiency
	a.DecodeEfficiency = c.DecodeEfficiency
	if c.LinkEfficiency != latency.DefaultRoofline(a).LinkEfficiency {
		a.LinkEfficiency = c.LinkEfficiency
	}
	if a.Measured(c.AllReduce) {
		c.AllReduce = nil // the entry has it
	}
	a.Provenance = on
	raw, err := yaml.Marshal(a)
	if err != nil {
		return fmt.Errorf("write the entry of %s: %w", a.Name, err)
	}
	fmt.Fprintf(w, "# Fitted to %s. A pool that uses it also needs\n", fittedTo)
	fmt.Fprintf(w, "#   accelerator: %s\n", a.Name)
	fmt.Fprintf(w, "#   latency:\n#     roofline:\n")
	for _, line := range poolLines(c, latency.DefaultRoofline(a)) {
		fmt.Fprintf(w, "#       %s\n", line)
	}
	fmt.Fprintf(w, "accelerators:\n- name: %s\n", a.Name)
	for line := range strings.Lines(string(raw)) {
		if !strings.HasPrefix(line, "name:") {
			fmt.Fprintf(w, "  %s", line)
		}
	}
	return nil
}

// FittedOn says what shares that these runs were fitted with rest on, and how far off
// predictions were that were judged.
func FittedOn(runs []*Run, judged []*Judgement) *latency.Provenance {
	p := &latency.Provenance{Shares: latency.Fitted}
	requests := 0
	for _, r := range runs {
		requests += r.fitted() - r.warmUp
		if name := r.Engine.Model.Name; !slices.Contains(p.Models, name) {
			p.Models = append(p.Models, name)
		}
		if gpus := r.Engine.TensorParallelism; !slices.Contains(p.TensorParallelism, gpus) {
			p.TensorParallelism = append(p.TensorParallelism, gpus)
		}
	}
	slices.Sort(p.TensorParallelism)
	p.Source = fmt.Sprintf("windtunnel calibrate, %d requests", requests)
	if len(judged) > 0 {
		p.MeanAbsoluteErrorPercent = meanErrors(judged)
	}
	return p
}

// meanErrors are the mean absolute errors of the means, in percent: of what the fit has not
// seen, if anything was held back.
func meanErrors(judged []*Judgement) map[latency.CheckedMetric]float64 {
	if heldBack := slices.DeleteFunc(slices.Clone(judged), func(j *Judgement) bool { return !j.HeldBack }); len(heldBack) > 0 {
		judged = heldBack
	}
	percent := map[latency.CheckedMetric]float64{}
	for m := range Metrics {
		sum, n := 0., 0
		for _, j := range judged {
			if e := j.Errors()[m][Mean]; !math.IsNaN(e) {
				sum, n = sum+100*math.Abs(e), n+1
			}
		}
		if n > 0 {
			percent[latency.CheckedMetric(m.String())] = math.Round(10*sum/float64(n)) / 10
		}
	}
	return percent
}

// poolLines returns the lines of a pool's latency.roofline that the entry does
// not say.
func poolLines(c, usual latency.RooflineCoefficients) []string {
	var lines []string
	before := places(&usual)
	for i, p := range places(&c) {
		switch p.name {
		case memoryName, prefillName, decodeName:
			continue
		case layerName, tokenName, sequenceName:
		case allReduceName:
			// The table has it in its times, and a pool takes only one of both.
			if p.same(before[i]) || len(c.AllReduce) > 0 {
				continue
			}
		default:
			if p.same(before[i]) {
				continue
			}
		}
		lines = append(lines, fmt.Sprintf("%s: %q", p.name, p.text()))
	}
	if len(c.AllReduce) > 0 {
		lines = append(lines, "allReduce:")
	}
	for _, point := range c.AllReduce {
		lines = append(lines, fmt.Sprintf("- {bytes: %d, microseconds: %q}", point.Bytes, decimal(point.Microseconds)))
	}
	return lines
}

func (p place) same(as place) bool { return p.text() == as.text() }

// text returns the value as a scenario writes it.
func (p place) text() string {
	if p.cost != nil {
		return decimal(float64(*p.cost) / float64(time.Microsecond))
	}
	return decimal(*p.share)
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
