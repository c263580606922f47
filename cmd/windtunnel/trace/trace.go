// SPDX-License-Identifier: Apache-2.0

// Package trace is the verb trace: it generates, inspects, imitates, converts and packs traces of requests.
package trace

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/input"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// NewCommand is the verb trace.
func NewCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trace",
		Short: "Generate, inspect, imitate, convert and pack traces of requests",
		Args:  cobra.ArbitraryArgs,
		RunE:  cli.UnknownVerb,
	}
	cmd.AddCommand(newTraceGenerateCommand(), newTraceInspectCommand(), newTraceFitCommand(), newTraceConvertCommand(), newTraceConfigMapCommand())
	return cmd
}

// generateOptions are the flags of trace generate.
type generateOptions struct {
	specOptions
	requests int
	seed     int64
	output   string
	// serveGen is a folder that describes traffic, or an archive of it.
	serveGen string
}

func newTraceGenerateCommand() *cobra.Command {
	var o generateOptions
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Generate a synthetic trace, or write the requests of a SimulationRun or of ServeGen clients",
		Long: `Write a synthetic trace, or the requests of a SimulationRun or of ServeGen clients.

Reads nothing, a manifest (-f), or a folder or tar archive of ServeGen (--servegen) with
chunk-N-trace.csv and chunk-N-dataset.json for each client.

Writes
  - by default, Mooncake's format: batches of arrivals, shared system prompts and
    conversations that grow
  - with -f, the format Windtunnel, without time-outs, retries, headers and texts of answers.
    Requests that wait for an answer are written as if it came at once, and need --requests.
  - with --servegen, Vidur's format: times and lengths

The same input and seed give the same bytes.

Exit codes: 0 success, 1 failure, 2 invalid input.`,
		Example: `  windtunnel trace generate --requests 2000 -o trace.jsonl
  windtunnel trace generate -f config/samples/simulationrun-poisson.yaml -o day.jsonl.gz
  windtunnel trace generate --servegen data/reason/deepseek-r1 --requests 100000 -o day.csv`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f := cmd.Flags()
			o.limited, o.seeded = f.Changed("requests"), f.Changed("seed")
			return o.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.requests, "requests", 2000, "number of requests; with -f, the greatest number, and without --requests all until the horizon")
	f.Int64Var(&o.seed, "seed", 1, "seed of the random draws; with -f and without --seed, the first of the object")
	cli.FileFlag(f, &o.output, "; compressed if it ends in .gz")
	f.StringVar(&o.serveGen, "servegen", "", "a ServeGen folder or a tar archive of it, whose requests are written")
	o.specOptions.register(f)
	return cmd
}

func (o *generateOptions) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	if o.requests < 1 {
		return cli.BadInput(fmt.Errorf("--requests must be at least 1"))
	}
	if err := checkOutput(o.output); err != nil {
		return err
	}
	if o.serveGen != "" && len(o.local.Files) > 0 {
		return cli.BadInput(fmt.Errorf("--servegen and -f are two sources of requests: give one"))
	}
	if len(o.local.Files) > 0 {
		return o.writeWorkload(ctx, stdin, stdout, stderr)
	}
	write := func(w io.Writer) error {
		return trace.WriteMooncake(contextWriter{ctx, w}, o.requests, o.seed)
	}
	if o.serveGen != "" {
		described, err := readServeGen(ctx, stdin, o.serveGen)
		if err != nil {
			return cli.BadInput(err)
		}
		write = func(w io.Writer) error {
			source := described.Replay(trace.Replay{RateScale: 1, Arrivals: trace.AsRecorded}, o.seed)
			return trace.WriteVidur(contextWriter{ctx, w}, source, o.requests)
		}
	}
	return cli.WriteOutput(stdout, o.output, compressedByName(o.output, write))
}

// readServeGen reads a ServeGen folder, or an archive of it.
func readServeGen(ctx context.Context, stdin io.Reader, name string) (*trace.Trace, error) {
	in, name, err := openInterruptibly(ctx, stdin, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return trace.Read(trace.ServeGen, in, name)
}

// checkOutput refuses a name of a file that is a format of trace inspect, whose -o has formats.
func checkOutput(name string) error {
	if !slices.Contains(inspectFormats, cli.Format(name)) {
		return nil
	}
	return cli.BadInput(fmt.Errorf("-o %s: must be a file, and %s is a format of windtunnel trace inspect: for a file of that name, use -o ./%s", name, name, name))
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

// OpenTrace opens the file of a trace, a ServeGen folder, or standard input where the name is -,
// and returns the name for errors.
func OpenTrace(stdin io.Reader, name string) (io.ReadCloser, string, error) {
	if name == "-" {
		return io.NopCloser(stdin), "standard input", nil
	}
	f, err := trace.OpenPath(name)
	if err != nil {
		return nil, name, input.FileError(name, err)
	}
	return f, name, nil
}

// openInterruptibly is openTrace of a file that can be read until the context is done.
func openInterruptibly(ctx context.Context, stdin io.Reader, name string) (io.ReadCloser, string, error) {
	in, name, err := OpenTrace(stdin, name)
	if err != nil {
		return nil, name, err
	}
	if file, ok := in.(*os.File); ok {
		return contextFile{ctx, file}, name, nil
	}
	return contextReader{ctx, in}, name, nil
}

// contextReader is a reader that fails once the context is done.
type contextReader struct {
	ctx context.Context
	io.ReadCloser
}

func (u contextReader) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.ReadCloser.Read(p)
}

// contextFile is a file that fails once the context is done.
type contextFile struct {
	ctx context.Context
	*os.File
}

func (u contextFile) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.File.Read(p)
}

func (u contextFile) ReadAt(p []byte, at int64) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.File.ReadAt(p, at)
}

// writeCounts prints how many rows of a trace are not sent as they were recorded.
func writeCounts(w io.Writer, c trace.Counts) {
	for _, of := range []struct {
		name string
		n    int
		is   string
	}{
		{"skipped", c.Skipped, "are too long, or wait for such a request, and are left out"},
		{"clipped", c.Clipped, "were too long"},
		{"without output", c.SkippedZeroOutput, "have 0 output tokens, or wait for such a request, and are left out"},
		{"prefill only", c.PrefillOnly, "had 0 output tokens, and have 1"},
	} {
		if of.n > 0 {
			fmt.Fprintf(w, "%-20s %d requests %s\n", of.name, of.n, of.is)
		}
	}
}
