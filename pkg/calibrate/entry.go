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
// in a catalogue: WritePool has them, and here they are a comment.
func WriteEntry(w io.Writer, a latency.Accelerator, c latency.RooflineCoefficients, fittedTo string) error {
	a.MemoryEfficiency = c.MemoryEfficiency
	a.PrefillEfficiency = c.PrefillEfficiency
	a.DecodeEfficiency = c.DecodeEfficiency
	entry, err := yaml.Marshal(latency.Entries{Accelerators: []latency.Accelerator{a}})
	if err != nil {
		return fmt.Errorf("write the entry of %s: %w", a.Name, err)
	}
	var pool strings.Builder
	writePool(&pool, "#   ", a, c)
	_, err = fmt.Fprintf(w, "# Fitted to %s. A pool that uses it also needs\n#\n%s#\n%s", fittedTo, pool.String(), entry)
	return err
}

// WritePool writes the part of a pool that refers to the entry and holds the
// overheads, as YAML.
func WritePool(w io.Writer, a latency.Accelerator, c latency.RooflineCoefficients) {
	writePool(w, "", a, c)
}

func writePool(w io.Writer, indent string, a latency.Accelerator, c latency.RooflineCoefficients) {
	fmt.Fprintf(w, "%saccelerator: %s\n", indent, a.Name)
	fmt.Fprintf(w, "%slatency:\n", indent)
	fmt.Fprintf(w, "%s  roofline:\n", indent)
	fmt.Fprintf(w, "%s    stepOverheadMicroseconds: %q\n", indent, micros(c.StepOverhead))
	fmt.Fprintf(w, "%s    tokenOverheadMicroseconds: %q\n", indent, micros(c.TokenOverhead))
	fmt.Fprintf(w, "%s    sequenceOverheadMicroseconds: %q\n", indent, micros(c.SequenceOverhead))
}

func micros(d time.Duration) string {
	return strconv.FormatFloat(float64(d)/float64(time.Microsecond), 'f', -1, 64)
}
