// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// WriteEntry writes the accelerator with the shares of its peaks that were
// achieved, as YAML that latency.ParseEntries reads. The overheads have no place
// in a catalogue: a comment holds them in the form that a pool takes.
func WriteEntry(w io.Writer, a latency.Accelerator, c latency.RooflineCoefficients, fittedTo string) error {
	a.MemoryEfficiency = c.MemoryEfficiency
	a.PrefillEfficiency = c.PrefillEfficiency
	a.DecodeEfficiency = c.DecodeEfficiency
	raw, err := yaml.Marshal(a)
	if err != nil {
		return fmt.Errorf("write the entry of %s: %w", a.Name, err)
	}
	fmt.Fprintf(w, "# Fitted to %s. A pool that uses it also needs\n", fittedTo)
	fmt.Fprintf(w, "#   accelerator: %s\n", a.Name)
	fmt.Fprintf(w, "#   latency:\n#     roofline:\n")
	fmt.Fprintf(w, "#       stepOverheadMicroseconds: %q\n", micros(c.StepOverhead))
	fmt.Fprintf(w, "#       tokenOverheadMicroseconds: %q\n", micros(c.TokenOverhead))
	fmt.Fprintf(w, "#       sequenceOverheadMicroseconds: %q\n", micros(c.SequenceOverhead))
	fmt.Fprintf(w, "accelerators:\n- name: %s\n", a.Name)
	for line := range strings.Lines(string(raw)) {
		if !strings.HasPrefix(line, "name:") {
			fmt.Fprintf(w, "  %s", line)
		}
	}
	return nil
}

func micros(d time.Duration) string {
	return strconv.FormatFloat(float64(d)/float64(time.Microsecond), 'f', -1, 64)
}
