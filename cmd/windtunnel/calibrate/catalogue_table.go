// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// A replica's room for KV is shown at vLLM's defaults.
const (
	exampleBlockTokens = 16
	gib                = 1 << 30
)

// writeCatalogue prints entries for people: models, accelerators, and how many
// KV blocks one has room for on the other.
func writeCatalogue(w io.Writer, e latency.Entries) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(e.Models) > 0 {
		fmt.Fprintln(t, "MODEL\tPARAMETERS\tACTIVE\tWEIGHTS\tKV PER TOKEN\tCONTEXT\tALIASES")
	}
	for _, m := range e.Models {
		i := latency.Instance{Model: m, TensorParallelism: 1}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.1f KiB\t%d\t%s\n", m.Name, billions(m.Parameters()), billions(m.ActiveParameters()),
			gibibytes(i.WeightBytes()), float64(i.KVBytesPerToken())/1024, m.ContextTokens, strings.Join(m.Aliases, ", "))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(e.Accelerators) == 0 {
		return nil
	}
	if err := writeAccelerators(w, e.Accelerators); err != nil || len(e.Models) == 0 {
		return err
	}
	return writeRoom(w, e)
}

// writeRoom prints the KV blocks of each model on each accelerator.
func writeRoom(w io.Writer, e latency.Entries) error {
	fmt.Fprintf(w, "\nKV blocks of %d tokens that a replica has room for, on the fewest GPUs that hold the model\nat 90 %% of their memory (an estimate: set kvCache.blocks to what your engine reports).\n\n", exampleBlockTokens)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "MODEL")
	for _, a := range e.Accelerators {
		fmt.Fprintf(t, "\t%s", a.Name)
	}
	fmt.Fprintln(t)
	for _, m := range e.Models {
		fmt.Fprint(t, m.Name)
		for _, a := range e.Accelerators {
			fmt.Fprintf(t, "\t%s", room(m, a))
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// room says how many blocks fit, and on how many GPUs.
func room(m latency.Model, a latency.Accelerator) string {
	for _, gpus := range []int{1, 2, 4, 8} {
		i := latency.Instance{Model: m, Accelerator: a, TensorParallelism: gpus}
		if len(i.Validate(nil)) > 0 {
			continue
		}
		if blocks, err := i.KVBlocks(exampleBlockTokens, i.DefaultMemoryBudget()); err == nil {
			return fmt.Sprintf("%d (TP %d)", blocks, gpus)
		}
	}
	return "-"
}

func billions(n int64) string { return fmt.Sprintf("%.2f B", float64(n)/1e9) }

func gibibytes(n int64) string { return fmt.Sprintf("%.1f GiB", float64(n)/gib) }

func teraflops(flops float64) string {
	if flops == 0 {
		return "-"
	}
	return fmt.Sprintf("%.5g TFLOPS", flops/1e12)
}
