// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/workload/inspect"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

const outputSVG cli.Format = "svg"

// inspectFormats are the formats of trace inspect.
var inspectFormats = []cli.Format{cli.Text, cli.JSON, outputSVG}

// inspectOptions are the flags of trace inspect.
type inspectOptions struct {
	file   FileFlags
	output cli.Format
}

func newTraceInspectCommand() *cobra.Command {
	o := inspectOptions{output: cli.Text}
	cmd := &cobra.Command{
		Use:     "inspect FILE",
		Aliases: []string{"stat"}, // its old name
		Short:   "Describe a trace: rates over time, bursts, lengths, reuse by cache size, and anomalies",
		Long: `Describe a trace, as text, as JSON or as a picture.

Rates are those of equal parts of the time. CV is the coefficient of variation of the gaps
between arrivals, and dispersion the variance of the counts in windows over their mean;
both are 1 for a Poisson process, and greater for bursts.

Reuse is the share of prompt tokens that one LRU cache in front of all requests serves, by
the size of the cache. A block is served if all blocks in front of it are.

The findings name what is odd about the trace, such as timestamps in batches, and what to
do about it.`,
		Example: `  windtunnel trace inspect conversation_trace.jsonl
  windtunnel trace inspect conversation_trace.jsonl -o svg > conversation.svg
  zcat trace.csv.gz | windtunnel trace inspect -
  windtunnel trace inspect gateway.csv --order Sort -o json \
    --csv time=ts,timeFormat=Timestamp,inputTokens=prompt,outputTokens=completion`,
		Args: oneTraceFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), args[0])
		},
	}
	o.file.Add(cmd.Flags())
	cli.OutputFlag(cmd.Flags(), &o.output, inspectFormats, "")
	return cmd
}

func (o *inspectOptions) run(ctx context.Context, stdin io.Reader, w io.Writer, name string) error {
	format, recorded, err := o.file.Open(ctx, stdin, name)
	if err != nil {
		return cli.BadInput(err)
	}
	in, err := inspect.Trace(recorded)
	if err != nil {
		return err
	}
	switch o.output {
	case cli.JSON:
		return o.output.Write(w, in)
	case outputSVG:
		return drawInspection(w, in)
	default:
		return writeInspection(w, in, format)
	}
}

// Open reads a trace so that it can be read again: standard input is read into memory.
func (o *FileFlags) Open(ctx context.Context, stdin io.Reader, name string) (trace.Format, *trace.Trace, error) {
	in, named, err := openInterruptibly(ctx, stdin, name)
	if err != nil {
		return "", nil, err
	}
	defer in.Close()
	format, options, text, err := o.resolve(in, named)
	if err != nil {
		return "", nil, err
	}
	if name == "-" {
		recorded, err := trace.ReadWith(format, options, text, named)
		return format, recorded, err
	}
	again := func() (io.ReadCloser, error) {
		in, _, err := openInterruptibly(ctx, nil, name)
		return in, err
	}
	recorded, err := trace.Open(format, options, again, name)
	return format, recorded, err
}
