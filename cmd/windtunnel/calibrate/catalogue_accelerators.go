// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"fmt"
	"io"
	"text/tabwriter"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// sharesNote says how to read the columns of shares.
const sharesNote = `
OF BANDWIDTH and OF FLOP/S (in prefill/decode) are the shares of the peaks that engines achieve.
SHARES: fitted on measurements of these models with as many GPUs (TP); published, a place
to start; or your own, where the entry has no provenance.
Do not compare accelerators whose shares have different sources: calibrate them first.
`

// writeAccelerators prints accelerators for people.
func writeAccelerators(w io.Writer, accelerators []latency.Accelerator) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nACCELERATOR\tMEMORY\tBANDWIDTH\tBF16\tFP8\tINT8\tFP4\tLINK\tOF BANDWIDTH\tOF FLOP/S\tSHARES")
	for _, a := range accelerators {
		fmt.Fprintf(t, "%s\t%s\t%.3g TB/s\t%s\t%s\t%s\t%s\t%.3g GB/s\t%.2f\t%.2f/%.2f\t%s\n", a.Name,
			gibibytes(a.MemoryBytes), a.MemoryBandwidthBytesPerSecond/1e12,
			teraflops(a.BF16FlopsPerSecond), teraflops(a.FP8FlopsPerSecond), teraflops(a.INT8FlopsPerSecond), teraflops(max(a.FP4FlopsPerSecond, a.MXFP4FlopsPerSecond)),
			a.LinkBandwidthBytesPerSecond/1e9,
			a.MemoryEfficiency, a.PrefillEfficiency, a.DecodeEfficiency, sourceOfShares(a))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(w, sharesNote)
	return err
}

// sourceOfShares says in a word where an accelerator's shares come from: what they
// were fitted on, and which accelerator was measured where it is another one.
func sourceOfShares(a latency.Accelerator) string {
	p := a.Provenance
	if p == nil {
		return "your own"
	}
	text := "published"
	switch p.Shares {
	case latency.Fitted:
		text = "fitted on " + p.FittedOn()
	case latency.Rounded:
		text = "rounded from fits"
	}
	if p.Accelerator != "" {
		text += " for " + p.Accelerator
	}
	return text
}
