// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/pkg/workload"
)

func newTraceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trace",
		Short: "Generate, describe and compress traces",
		Args:  cobra.ArbitraryArgs,
		RunE:  unknownVerb,
	}
	cmd.AddCommand(newTraceGenerateCommand(), newTraceStatCommand(), newTraceConfigMapCommand())
	return cmd
}

// generateOptions are the flags of trace generate.
type generateOptions struct {
	requests int
	seed     int64
	output   string
}

func newTraceGenerateCommand() *cobra.Command {
	var o generateOptions
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Write a small synthetic trace in Mooncake's format",
		Long: `Write a synthetic trace in Mooncake's format: a batch of arrivals about every three
seconds, shared system prompts, and conversations that grow turn by turn. The same
number of requests and the same seed give the same bytes.`,
		Example: `  windtunnel trace generate --requests 2000 -o trace.jsonl`,
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), cmd.OutOrStdout()) },
	}
	f := cmd.Flags()
	f.IntVar(&o.requests, "requests", 2000, "number of requests")
	f.Int64Var(&o.seed, "seed", 1, "seed of the random draws")
	f.StringVarP(&o.output, "output", "o", "-", "file to write, - for standard output")
	return cmd
}

func (o generateOptions) run(ctx context.Context, stdout io.Writer) error {
	if o.requests < 1 {
		return badInputError{fmt.Errorf("--requests must be at least 1")}
	}
	write := func(w io.Writer) error {
		return workload.WriteMooncake(contextWriter{ctx, w}, o.requests, o.seed)
	}
	if o.output == "-" {
		return write(stdout)
	}
	return writeWhole(o.output, write)
}

// contextWriter is a writer that fails once the context is done.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (u contextWriter) Write(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.w.Write(p)
}

// writeWhole writes a file, all of it or none.
func writeWhole(name string, write func(io.Writer) error) error {
	partial := name + ".partial"
	err := writeFile(partial, write)
	if err == nil {
		err = os.Rename(partial, name)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(partial))
	}
	return nil
}

func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(f)
	return errors.Join(write(b), b.Flush(), f.Close())
}

// traceFormats names all formats, for the help of flags.
func traceFormats() string {
	var names []string
	for _, f := range workload.Formats() {
		names = append(names, string(f))
	}
	return strings.Join(names, " or ")
}

func newTraceStatCommand() *cobra.Command {
	format := ""
	cmd := &cobra.Command{
		Use:   "stat FILE",
		Short: "Describe a trace: rates, lengths, and the tokens that an unbounded cache would serve",
		Example: `  windtunnel trace stat conversation_trace.jsonl
  zcat trace.csv.gz | windtunnel trace stat -`,
		Args: oneTraceFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return traceStat(cmd.InOrStdin(), cmd.OutOrStdout(), workload.Format(format), args[0])
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "format of the trace: "+traceFormats()+" (default: detected from the first line)")
	return cmd
}

// traceStat describes a trace of a file, or of standard input where the name is -.
func traceStat(stdin io.Reader, w io.Writer, format workload.Format, name string) error {
	in := stdin
	if name == "-" {
		name = "standard input"
	} else {
		f, err := os.Open(name)
		if err != nil {
			return badInputError{err}
		}
		defer f.Close()
		in = f
	}
	if format == "" {
		var err error
		if format, in, err = workload.RecogniseFormat(in, name); err != nil {
			return badInputError{err}
		}
	}
	trace, err := workload.ReadTrace(format, in, name)
	if err != nil {
		return badInputError{err}
	}
	s := trace.Statistics()
	fmt.Fprintf(w, "format               %s\n", format)
	fmt.Fprintf(w, "requests             %d\n", s.Requests)
	if s.Waiting > 0 {
		fmt.Fprintf(w, "wait for an answer   %d requests, after it %s on average; the others have a timestamp\n", s.Waiting, s.MeanDelay.Round(time.Millisecond))
	}
	fmt.Fprintf(w, "distinct timestamps  %d\n", s.DistinctTimestamps)
	fmt.Fprintf(w, "span                 %s\n", s.Span)
	fmt.Fprintf(w, "rate                 %.3f requests/s\n", s.RatePerSecond)
	for _, l := range []struct {
		name    string
		lengths workload.LengthStatistics
	}{{"input tokens", s.Input}, {"output tokens", s.Output}} {
		fmt.Fprintf(w, "%-20s mean %.1f, min %d, p50 %d, p90 %d, p99 %d, max %d\n",
			l.name, l.lengths.Mean, l.lengths.Min, l.lengths.P50, l.lengths.P90, l.lengths.P99, l.lengths.Max)
	}
	if s.InputTokens > 0 {
		fmt.Fprintf(w, "reusable             %.2f %% of prompt tokens (unbounded cache of full blocks)\n",
			100*float64(s.ReusableTokens)/float64(s.InputTokens))
	}
	fmt.Fprintf(w, "sha256               %s\n", trace.Digest())
	return nil
}
