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

// WriteEntry writes the accelerator of the first run with the shares of its peaks and of its
// link that were achieved, as YAML that latency.ParseEntries reads. The other coefficients have
// no place in a catalogue: a comment holds them in the form that a pool takes,
// the three overheads and whatever is not as usual, for each kind of pool that was fitted.
// fittedTo names the runs in that comment, and on says for results what the shares were
// fitted on.
func (f *Fitted) WriteEntry(w io.Writer, fittedTo string, on *latency.Provenance) error {
	return writeEntry(w, f.runs[0].Engine.Accelerator, f.First(), f.pools(), fittedTo, on)
}

// pool is what pools with a number of GPUs need in addition to an entry.
type pool struct{ title, lines string }

// pools are the kinds of pools that were fitted. Those that need the same are one.
func (f *Fitted) pools() []pool {
	var all []pool
	for _, r := range f.runs {
		p := pool{fmt.Sprintf("tensorParallelism %d, model %s", r.Engine.TensorParallelism, r.Engine.Model.Name), poolLines(f.Of(r), r.Engine.Instance)}
		same := slices.IndexFunc(all, func(o pool) bool { return o.lines == p.lines })
		switch {
		case same < 0:
			all = append(all, p)
		case !strings.Contains(all[same].title, p.title):
			all[same].title += "; " + p.title
		}
	}
	return all
}

func writeEntry(w io.Writer, a latency.Accelerator, c latency.RooflineCoefficients, pools []pool, fittedTo string, on *latency.Provenance) error {
	a.MemoryEfficiency = c.MemoryEfficiency
	a.PrefillEfficiency = c.PrefillEfficiency
	a.DecodeEfficiency = c.DecodeEfficiency
	if c.LinkEfficiency != latency.DefaultRoofline(a).LinkEfficiency {
		a.LinkEfficiency = c.LinkEfficiency
	}
	a.Provenance = on
	raw, err := yaml.Marshal(a)
	if err != nil {
		return fmt.Errorf("write the entry of %s: %w", a.Name, err)
	}
	fmt.Fprintf(w, "# Fitted to %s. A pool that uses it also needs\n", fittedTo)
	fmt.Fprintf(w, "#   accelerator: %s\n", a.Name)
	for _, p := range pools {
		if len(pools) > 1 {
			fmt.Fprintf(w, "# and with %s\n", p.title)
		}
		fmt.Fprintf(w, "#   latency:\n#     roofline:\n%s", p.lines)
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

// poolLines are the lines of a pool's latency.roofline that the entry does not say, as a
// comment.
func poolLines(c latency.RooflineCoefficients, on latency.Instance) string {
	usual := on.DefaultRoofline()
	if on.Accelerator.Measured(c.AllReduce) {
		c.AllReduce = nil // the entry has it
	}
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
	var b strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&b, "#       %s\n", line)
	}
	return b.String()
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
