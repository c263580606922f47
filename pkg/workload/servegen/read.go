// SPDX-License-Identifier: Apache-2.0

package servegen

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Data describes the clients of a ServeGen folder. It does not change after reading.
type Data struct {
	clients []client
	// share is how many of the requests are sent; 0 is all.
	share float64
}

// client is one chunk of the folder.
type client struct {
	name    string
	windows []window
	lengths []lengths
}

// window is a time with one rate and one law of gaps.
type window struct {
	start, end    float64 // s
	ratePerSecond float64
	gaps          gaps
}

// lengths are the histograms from a time on.
type lengths struct {
	start         float64 // s
	input, output histogram
}

// filePatterns are those of the files of a folder.
var filePatterns = []string{tracePattern, "chunk-*" + datasetSuffix}

var errNoTrace = errors.New("there is no " + tracePattern)

const (
	tracePattern  = "chunk-*-trace.csv"
	traceSuffix   = "-trace.csv"
	datasetSuffix = "-dataset.json"
	// maxFileBytes bounds a file, so that one that is no part of ServeGen is an error
	// before it fills the memory. The greatest one of the published folders has some MB.
	maxFileBytes = 64 << 20
	// maxSeconds bounds times, and maxRate rates.
	maxSeconds, maxRate = 3e8, 1e6
)

// reader puts the files of a folder together, which come in any order.
type reader struct {
	windows map[string][]window
	lengths map[string][]lengths
}

// file reads a file by its name. Files with other names are no part of the description.
func (r *reader) file(name string, in io.Reader) error {
	client, isTrace := strings.CutSuffix(name, traceSuffix)
	if !isTrace {
		var isDataset bool
		if client, isDataset = strings.CutSuffix(name, datasetSuffix); !isDataset {
			return nil
		}
	}
	if !strings.HasPrefix(client, "chunk-") {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(in, maxFileBytes+1))
	switch {
	case err != nil:
		return fmt.Errorf("%s: read: %w", name, err)
	case len(text) > maxFileBytes:
		return fmt.Errorf("%s: longer than %d bytes", name, maxFileBytes)
	case isTrace:
		err = put(&r.windows, client, text, parseWindows)
	default:
		err = put(&r.lengths, client, text, parseDataset)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// put notes what a client's file says.
func put[T any](into *map[string]T, client string, text []byte, parse func([]byte) (T, error)) error {
	if _, twice := (*into)[client]; twice {
		return errors.New("is there twice")
	}
	if *into == nil {
		*into = map[string]T{}
	}
	parsed, err := parse(text)
	(*into)[client] = parsed
	return err
}

// data returns the description when all files are read. Its time begins with the earliest
// window.
func (r *reader) data() (*Data, error) {
	if len(r.windows) == 0 {
		return nil, errNoTrace
	}
	for _, name := range slices.Sorted(maps.Keys(r.lengths)) {
		if r.windows[name] == nil {
			return nil, fmt.Errorf("%s: there is no such file next to %s", name+traceSuffix, name+datasetSuffix)
		}
	}
	d := &Data{}
	first := math.Inf(1)
	for _, name := range slices.Sorted(maps.Keys(r.windows)) {
		c := client{name: name, windows: r.windows[name]}
		var known bool
		if c.lengths, known = r.lengths[name]; !known {
			return nil, fmt.Errorf("%s: there is no such file next to %s", name+datasetSuffix, name+traceSuffix)
		}
		if err := c.checkLengths(); err != nil {
			return nil, err
		}
		first = min(first, c.windows[0].start)
		d.clients = append(d.clients, c)
	}
	return d.between(first, math.Inf(1)), nil
}

// checkLengths checks that a client that sends requests has lengths for them.
func (c *client) checkLengths() error {
	if !slices.ContainsFunc(c.windows, func(w window) bool { return w.ratePerSecond > 0 }) {
		return nil
	}
	missing := ""
	switch {
	case !slices.ContainsFunc(c.lengths, func(l lengths) bool { return len(l.input.tokens) > 0 }):
		missing = "input_tokens"
	case !slices.ContainsFunc(c.lengths, func(l lengths) bool { return len(l.output.tokens) > 0 }):
		missing = "output_tokens"
	default:
		return nil
	}
	return fmt.Errorf("%s: %s: no window has a histogram, but the client sends requests", c.name+datasetSuffix, missing)
}

// windowFields are the fields of a row of a client's trace, which has no header.
var windowFields = [...]string{"window_start_s", "rate_rps", "iat_cv", "pattern", "arg1", "arg2"}

// parseWindows reads a client's trace. A window ends where the next one begins, and the
// last one is as long as that before it.
func parseWindows(text []byte) ([]window, error) {
	var windows []window
	for i, line := range bytes.Split(bytes.TrimRight(text, "\r\n"), []byte("\n")) {
		w, err := parseWindow(string(bytes.TrimSuffix(line, []byte("\r"))))
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
		if i > 0 {
			before := &windows[i-1]
			if w.start <= before.start {
				return nil, fmt.Errorf("row %d: window_start_s: must be later than in the row before", i+1)
			}
			before.end = w.start
		}
		windows = append(windows, w)
	}
	if len(windows) < 2 {
		return nil, errors.New("must have 2 windows at least, which tell how long a window is")
	}
	last := &windows[len(windows)-1]
	last.end = last.start + (last.start - windows[len(windows)-2].start)
	return windows, nil
}

func parseWindow(line string) (window, error) {
	fields := strings.Split(line, ",")
	if len(fields) != len(windowFields) {
		return window{}, fmt.Errorf("must have the %d fields %s, got %d", len(windowFields), strings.Join(windowFields[:], ","), len(fields))
	}
	var numbers [len(windowFields)]float64
	for i, field := range fields {
		if windowFields[i] == "pattern" {
			continue
		}
		var err error
		if numbers[i], err = number(windowFields[i], field); err != nil {
			return window{}, err
		}
	}
	w := window{start: numbers[0], ratePerSecond: numbers[1]}
	switch {
	case w.start > maxSeconds:
		return window{}, fmt.Errorf("window_start_s: must be at most %g s, got %g", maxSeconds, w.start)
	case w.ratePerSecond > maxRate:
		return window{}, fmt.Errorf("rate_rps: must be at most %g requests/s, got %g", maxRate, w.ratePerSecond)
	}
	var err error
	w.gaps, err = newGaps(fields[3], numbers[4])
	return w, err
}

// number reads a number that is not negative.
func number(field, text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x <= 1e300) {
		return 0, fmt.Errorf("%s: must be a number that is not negative, got %.80q", field, text)
	}
	return x, nil
}

// parseDataset reads a client's histograms by window. A window that lacks one has that
// of the nearest window before it, or else that of the first window that has one.
func parseDataset(text []byte) ([]lengths, error) {
	var dataset map[string]map[string]string
	if err := json.Unmarshal(text, &dataset); err != nil {
		return nil, fmt.Errorf("must be JSON, an object of windows with histograms: %w", err)
	}
	var all []lengths
	for _, start := range slices.Sorted(maps.Keys(dataset)) {
		seconds, err := number("window", start)
		if err != nil {
			return nil, err
		}
		l := lengths{start: seconds}
		for _, field := range slices.Sorted(maps.Keys(dataset[start])) {
			switch text := dataset[start][field]; field {
			case "input_tokens":
				l.input, err = parseHistogram(text)
			case "output_tokens":
				l.output, err = parseHistogram(text)
			case "reason_ratio": // how much of an answer is reasoning is not used
			default:
				err = errors.New("is not known")
			}
			if err != nil {
				return nil, fmt.Errorf("window %s: %s: %w", start, field, err)
			}
		}
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b lengths) int { return cmp.Compare(a.start, b.start) })
	fill(all, func(l *lengths) *histogram { return &l.input })
	fill(all, func(l *lengths) *histogram { return &l.output })
	return all, nil
}

// fill gives windows without a histogram that of another.
func fill(all []lengths, of func(*lengths) *histogram) {
	var last histogram
	for i := range all {
		if last = *of(&all[i]); len(last.tokens) > 0 {
			break
		}
	}
	for i := range all {
		if h := of(&all[i]); len(h.tokens) > 0 {
			last = *h
		} else {
			*h = last
		}
	}
}
