// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// convertOptions are the flags of trace convert.
type convertOptions struct {
	file   FileFlags
	to     string
	output string
	// share says which prompts share a beginning, and text names the column of prompts.
	share, text string
}

func newTraceConvertCommand() *cobra.Command {
	var o convertOptions
	cmd := &cobra.Command{
		Use:   "convert FILE",
		Short: "Convert a trace to another format",
		Long: `Convert a trace to another format.

Reads a trace of any length, one row at a time unless --order is Sort.

Writes a file as a whole or not at all, compressed if its name ends in .gz. The first arrival
becomes 0. Standard error says what the new format has no place for, and in how many rows:
Windtunnel carries everything, and Parquet everything but begin_ns, id, after, status,
ttft_ns, e2e_ns and cached_tokens.

A CSV or an access log does not tell which prompts share a beginning, which prefix caches and
routing by prefixes depend on. --share states it. --text-column finds it in the prompts of a
CSV: 4 bytes are a token, 64 bytes a block, and no text is written.

Exit codes: 0 success, 1 failure, 2 invalid input.`,
		Example: `  windtunnel trace convert conversation_trace.jsonl --to Windtunnel -o day.jsonl.gz
  windtunnel trace convert gateway.csv --to Mooncake --csv time=ts,timeFormat=Timestamp,inputTokens=prompt,outputTokens=completion
  windtunnel trace convert chats.csv --share session --to Windtunnel --csv time=ts,timeFormat=Timestamp,inputTokens=prompt,outputTokens=completion,session=chat`,
		Args: oneTraceFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr(), args[0])
		},
	}
	f := cmd.Flags()
	o.file.Add(f)
	f.StringVar(&o.to, "to", "", "format to write: "+cli.OneOf(trace.WrittenFormats())+" (required)")
	f.StringVar(&o.share, "share", "", "which prompts of a CSV or an access log share a beginning, and how long it is in tokens: all=500 or session=500, and of a CSV tenant=500 or class=500; session without a length has each prompt repeat the one before")
	f.StringVar(&o.text, "text-column", "", "column of a CSV with prompts, to find out which share a beginning; the text is dropped")
	cli.FileFlag(f, &o.output, "")
	return cmd
}

func (o *convertOptions) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, name string) error {
	if !slices.Contains(trace.WrittenFormats(), trace.Format(o.to)) {
		return cli.BadInput(fmt.Errorf("--to must be %s, got %q", cli.OneOf(trace.WrittenFormats()), o.to))
	}
	if err := checkOutput(o.output); err != nil {
		return err
	}
	in, name, err := openInterruptibly(ctx, stdin, name)
	if err != nil {
		return err
	}
	defer in.Close()
	format, options, text, err := o.file.resolve(in, name)
	if err == nil {
		err = o.shareIn(&options, format)
	}
	if err != nil {
		return cli.BadInput(err)
	}
	var done trace.Conversion
	write := func(w io.Writer) error {
		out := &writeErrors{w: contextWriter{ctx, w}}
		done, err = trace.Convert(format, options, text, name, trace.Format(o.to), out)
		if err != nil && out.err == nil {
			return cli.BadInput(err)
		}
		return err
	}
	if err := cli.WriteOutput(cli.FileOutput(stdout), o.output, compressedByName(o.output, write)); err != nil {
		return err
	}
	return o.tell(stderr, done)
}

// shareIn takes --share and --text-column into the options.
func (o *convertOptions) shareIn(options *trace.Options, format trace.Format) error {
	flag := "--share"
	switch {
	case o.share != "" && o.text != "":
		return errors.New("--share and --text-column both say which prompts share a beginning: give one of them")
	case o.text != "":
		flag = "--text-column"
		options.Sharing.By = trace.SharedByText
		columns := trace.WrittenCSV()
		if options.CSV != nil {
			columns = *options.CSV
		}
		columns.Text = o.text
		options.CSV = &columns
	case o.share != "":
		by, tokens, stated := strings.Cut(o.share, "=")
		options.Sharing.By = trace.SharedBy(by)
		if n, err := strconv.Atoi(tokens); stated && (err != nil || n < 1) {
			return fmt.Errorf("--share: the length of the beginning must be a whole number of tokens above 0, got %q", tokens)
		} else if stated {
			options.Sharing.Tokens = n
		}
	}
	if errs := options.Validate(format, nil); len(errs) > 0 {
		return fmt.Errorf("%s: %s", flag, errs[0].ErrorBody())
	}
	return nil
}

// tell says what a conversion lost and added.
func (o *convertOptions) tell(w io.Writer, done trace.Conversion) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%d requests written as %s\n", done.Requests, o.to)
	if done.Skipped > 0 {
		fmt.Fprintf(&text, "left out: %d requests that are too long\n", done.Skipped)
	}
	if done.Clipped > 0 {
		fmt.Fprintf(&text, "clipped: %d requests that are too long\n", done.Clipped)
	}
	if done.SkippedZeroOutput > 0 {
		fmt.Fprintf(&text, "left out: %d requests without output\n", done.SkippedZeroOutput)
	}
	if done.PrefillOnly > 0 {
		fmt.Fprintf(&text, "changed: %d requests without output have 1 output token\n", done.PrefillOnly)
	}
	if done.Warning != "" {
		fmt.Fprintf(&text, "warning: %s\n", done.Warning)
	}
	for _, loss := range done.Lost {
		fmt.Fprintf(&text, "lost: %s of %d requests\n", loss.What, loss.Rows)
	}
	for _, addition := range done.Added {
		fmt.Fprintf(&text, "added: %s to %d requests\n", addition.What, addition.Rows)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// writeErrors is a writer that remembers its first error.
type writeErrors struct {
	w   io.Writer
	err error
}

func (e *writeErrors) Write(p []byte) (int, error) {
	n, err := e.w.Write(p)
	e.err = errors.Join(e.err, err)
	return n, err
}

// compressedByName returns a write that compresses what it writes if the name ends in .gz.
func compressedByName(name string, write func(io.Writer) error) func(io.Writer) error {
	if !strings.HasSuffix(name, ".gz") {
		return write
	}
	return func(w io.Writer) error {
		z := gzip.NewWriter(w)
		return errors.Join(write(z), z.Close())
	}
}
