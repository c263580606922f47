// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"bytes"
	"io"
	"slices"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// FuzzOpen compares a trace that is read as it is replayed with the same trace in memory. Bytes
// choose its format, its options, and how much memory it may take before it stays in its file.
func FuzzOpen(f *testing.F) {
	// Files of the format Parquet have a fuzz target of their own.
	carriages := slices.DeleteFunc(trace.Carriages(), func(c trace.Carriage) bool { return c.Format == trace.Parquet })
	for i, c := range carriages {
		text := []byte(everything)
		if c.Format != trace.Windtunnel {
			text = readGoodFile(f, c.Format)
		}
		f.Add(text, byte(i), byte(0), byte(0))
		f.Add(text, byte(i), byte(0xff), byte(1))
		f.Add(compress(f, text), byte(i), byte(0), byte(10))
	}
	f.Fuzz(func(t *testing.T, data []byte, format, choices, held byte) {
		if len(data) > 2000 {
			return
		}
		of := carriages[int(format)%len(carriages)].Format
		compareOpened(t, of, chosenOptions(of, choices), 1+100*int64(held), data)
	})
}

// chosenOptions are options that a byte chooses.
func chosenOptions(format trace.Format, choices byte) trace.Options {
	chosen := func(bit int) bool { return choices>>bit&1 == 1 }
	o := trace.Options{}
	if format == trace.GenericCSV {
		o.CSV = gateway()
	}
	if chosen(0) {
		o.TooLong = trace.TooLong{MaxTokens: 40, Action: trace.Clip}
	}
	if chosen(1) {
		o.TooLong = trace.TooLong{MaxTokens: 60, Action: trace.Skip}
	}
	if chosen(2) {
		o.Sample = 0.7
	}
	if chosen(3) {
		o.Slice.From = time.Second
	}
	if chosen(4) {
		o.Slice.To = 4 * time.Second
	}
	if chosen(5) {
		o.Order = trace.Sort
	}
	if chosen(6) && format == trace.Mooncake {
		o.BlockTokens = 100
	}
	return o
}

// compareOpened reads a text into memory, and as a file that gives it in small parts.
func compareOpened(t *testing.T, format trace.Format, o trace.Options, held int64, data []byte) {
	whole, wantErr := trace.ReadWith(format, o, bytes.NewReader(data), "t")
	open := 0
	o.HeldBytes = held
	opened, err := trace.Open(format, o, func() (io.ReadCloser, error) {
		open++
		return countedFile{iotest.HalfReader(bytes.NewReader(data)), &open}, nil
	}, "t")
	if (opened == nil) != (err != nil) {
		t.Fatalf("a trace %v beside the error %v", opened, err)
	}
	if wantErr != nil || err != nil {
		if wantErr == nil || err == nil || err.Error() != wantErr.Error() {
			t.Fatalf("opened: %v, in memory: %v", err, wantErr)
		}
		return
	}
	if !whole.IsHeld() {
		t.Fatal("a trace that was read whole is not in memory")
	}
	if diff := cmp.Diff(summaryOf(t, whole), summaryOf(t, opened)); diff != "" {
		t.Fatalf("in its file: %t (-in memory +opened):\n%s", !opened.IsHeld(), diff)
	}
	if open != 0 {
		t.Fatalf("%d files are left open", open)
	}
}
