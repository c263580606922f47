// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/input"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/spelling"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/trace/parquetfile"
)

// Spec is what the flags say of a trace, as the API has it.
func (o *FileFlags) Spec() (v1alpha1.Trace, error) {
	input := experiment.TraceInput{}
	if err := decodeFields("--csv", o.csv, &input.CSV); err != nil {
		return v1alpha1.Trace{}, err
	}
	if err := o.checkSelection(&input); err != nil {
		return v1alpha1.Trace{}, err
	}
	return v1alpha1.Trace{
		CSV: input.CSV, Order: v1alpha1.TraceOrder(o.order), Slice: input.Slice, Sample: v1alpha1.PositiveDecimal(o.sample),
		TooLong: input.TooLong, ZeroOutput: v1alpha1.ZeroOutputAction(o.zeroOutput), BlockTokens: o.blockTokens,
	}, nil
}

// FileFlags say how the file of a trace is read. They are what the API's trace has.
type FileFlags struct {
	format string
	csv    map[string]string
	order  string
	slice  map[string]string
	sample string
	// tooLong has the fields of the API's tooLong.
	tooLong     map[string]string
	zeroOutput  string
	blockTokens int32
}

// Add defines the flags.
func (o *FileFlags) Add(f *pflag.FlagSet) {
	f.StringVar(&o.format, "format", o.format, "format of the trace: "+cli.OneOf(trace.Formats())+" (default: detected from the beginning of the file)")
	f.StringToStringVar(&o.csv, "csv", nil,
		"columns of the format CSV, under the names of the API's fields: time=ts,timeFormat=Timestamp,inputTokens=prompt,outputTokens=completion")
	f.StringVar(&o.order, "order", "", "order of the rows: InOrder or Sort (default: InOrder)")
	f.StringToStringVar(&o.slice, "slice", nil, "part of the trace's time to keep, such as from=10m,to=20m")
	f.StringVar(&o.sample, "sample", "", "share of the requests to keep, such as 0.1; all of a session or none")
	f.StringToStringVar(&o.tooLong, "too-long", nil, "rows to clip, refuse or skip, such as maxTokens=32768,action=Skip; prompt and answer count together")
	f.StringVar(&o.zeroOutput, "zero-output", "", "what to do with rows with an answer of 0 tokens: PrefillOnly, Refuse or Skip (default: Refuse)")
	f.Int32Var(&o.blockTokens, "block-tokens", 0, "size of the blocks of a Mooncake trace in tokens (default: 512)")
}

// read reads a trace.
func (o *FileFlags) read(in io.Reader, name string) (trace.Format, *trace.Trace, error) {
	format, options, in, err := o.resolve(in, name)
	if err != nil {
		return "", nil, err
	}
	recorded, err := trace.ReadWith(format, options, in, name)
	return format, recorded, err
}

// resolve returns the format and the options to read a trace with, and a reader of the
// whole text. Where no format is given, it is recognised, or CSV where columns are given.
func (o *FileFlags) resolve(in io.Reader, name string) (trace.Format, trace.Options, io.Reader, error) {
	selected := experiment.TraceInput{Order: v1alpha1.TraceOrder(o.order), Sample: v1alpha1.PositiveDecimal(o.sample), ZeroOutput: v1alpha1.ZeroOutputAction(o.zeroOutput), BlockTokens: o.blockTokens}
	if err := decodeFields("--csv", o.csv, &selected.CSV); err != nil {
		return "", trace.Options{}, nil, err
	}
	if err := o.checkSelection(&selected); err != nil {
		return "", trace.Options{}, nil, err
	}
	format := trace.Format(o.format)
	if format == "" && o.csv != nil {
		format = trace.GenericCSV
	}
	if format == "" {
		var err error
		if format, in, err = trace.RecogniseFormat(in, name); err != nil {
			return "", trace.Options{}, nil, cmp.Or(input.ResultInPlaceOfTrace(name), err)
		}
	}
	switch errs := selected.Options().Validate(format, field.NewPath("trace")); {
	case len(errs) > 1:
		return "", trace.Options{}, nil, fmt.Errorf("the flags are invalid:\n%s", cli.BulletList(errs))
	case len(errs) == 1:
		return "", trace.Options{}, nil, errs[0]
	}
	options := selected.Options()
	options.Parquet = parquetfile.Codec{}
	options.MemoryBytes = debug.SetMemoryLimit(-1) // that of GOMEMLIMIT, or as good as none
	return format, options, in, nil
}

// checkSelection decodes --slice, and checks what a schema does elsewhere.
func (o *FileFlags) checkSelection(input *experiment.TraceInput) error {
	if err := decodeFields("--slice", o.slice, &input.Slice); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(o.slice)) {
		if d, err := time.ParseDuration(o.slice[name]); err != nil || d < 0 {
			return fmt.Errorf("--slice: %s must be a duration such as 10m, got %q", name, o.slice[name])
		}
	}
	if err := o.decodeTooLong(&input.TooLong); err != nil {
		return err
	}
	if share, err := strconv.ParseFloat(o.sample, 64); o.sample != "" && !(err == nil && share > 0 && share < 1) {
		return fmt.Errorf("--sample must be greater than 0 and less than 1, got %q", o.sample)
	}
	return nil
}

// decodeTooLong decodes --too-long.
func (o *FileFlags) decodeTooLong(into **v1alpha1.TooLong) error {
	if o.tooLong == nil {
		return nil
	}
	l := &v1alpha1.TooLong{}
	for name, text := range o.tooLong {
		switch name {
		case "maxTokens":
			most, err := strconv.ParseInt(text, 10, 32)
			if err != nil {
				return fmt.Errorf("--too-long: maxTokens must be a whole number, got %q", text)
			}
			l.MaxTokens = int32(most)
		case "action":
			l.Action = v1alpha1.TooLongAction(text)
		default:
			return fmt.Errorf("--too-long: unknown key %q, want maxTokens and action", name)
		}
	}
	*into = l
	return nil
}

// decodeFields decodes a flag whose keys are fields of the API. It leaves what it decodes
// into, a pointer to a pointer to a struct, as it is where the flag was not given.
func decodeFields(flag string, given map[string]string, into any) error {
	if given == nil {
		return nil
	}
	known := jsonNames(reflect.TypeOf(into).Elem().Elem())
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(known, key) {
			return fmt.Errorf("%s: unknown key %q; there are %s%s", flag, key, strings.Join(known, ", "), cli.DidYouMean(spelling.Nearest(key, known)))
		}
	}
	text, err := json.Marshal(given)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return nil
}

// jsonNames are the names of a struct's fields in JSON.
func jsonNames(of reflect.Type) []string {
	var names []string
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}
