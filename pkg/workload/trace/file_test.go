// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// openText opens a text as a file.
func openText(text []byte) trace.Opener {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
}

// leftInFile opens a text that takes more memory than it may.
func leftInFile(t testing.TB, format trace.Format, o trace.Options, text []byte) *trace.Trace {
	t.Helper()
	o.HeldBytes = 1
	opened, err := trace.Open(format, o, openText(text), "trace")
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

// A trace in its file is the one in memory: the same requests under all options, the same
// statistics and the same digest.
func TestATraceInItsFileIsTheOneInMemory(t *testing.T) {
	for _, c := range trace.Carriages() {
		t.Run(string(c.Format), func(t *testing.T) {
			text, options := goodFile(t, c.Format)
			switch c.Format {
			case trace.Parquet:
				raw, _ := convert(t, trace.Windtunnel, []byte(withoutDelays), c.Format)
				text = string(raw)
			case trace.Windtunnel:
				text = withoutDelays
			}
			for name, raw := range map[string][]byte{"plain": []byte(text), "compressed": compress(t, []byte(text))} {
				held, err := trace.ReadWith(c.Format, options, bytes.NewReader(raw), "trace")
				if err != nil {
					t.Fatal(err)
				}
				opened := leftInFile(t, c.Format, options, raw)
				if sorts := options.Order == trace.Sort; opened.IsHeld() != sorts {
					t.Errorf("%s: in memory: %t, sorted: %t", name, opened.IsHeld(), sorts)
				}
				if diff := cmp.Diff(summaryOf(t, held), summaryOf(t, opened)); diff != "" {
					t.Errorf("%s (-in memory +in its file):\n%s", name, diff)
				}
				described, digest, err := trace.Describe(c.Format, options, bytes.NewReader(raw), "trace")
				if diff := cmp.Diff(statistics(t, held), described); diff != "" || digest != held.Digest() || err != nil {
					t.Errorf("%s: digest %s, error %v, statistics (-in memory +described):\n%s", name, digest, err, diff)
				}
			}
		})
	}
}

// summary is all that a trace shows of itself.
type summary struct {
	Digest                         string
	Requests, LongestInput, Longer int
	NamesModels, AnswersEnds       bool
	Statistics                     trace.Statistics
	Replays                        [][]workload.Request
	Labels                         []workload.Labels
}

func summaryOf(t *testing.T, recorded *trace.Trace) summary {
	t.Helper()
	longer, err := recorded.Longer(50, 3)
	if err != nil {
		t.Fatal(err)
	}
	s := summary{
		Digest: recorded.Digest(), Requests: recorded.Requests(), LongestInput: recorded.LongestInput(), Longer: longer,
		NamesModels: recorded.NamesModels(), AnswersEnds: recorded.AnswersEnds(), Statistics: statistics(t, recorded),
	}
	for _, r := range []trace.Replay{
		asRecorded,
		{RateScale: 2, Arrivals: trace.Spread, Client: "c", Tenant: "t", Priority: 3},
		{RateScale: 0.5, Arrivals: trace.AsRecorded, MaxRequests: 2},
	} {
		source := recorded.Replay(r, 7)
		s.Replays = append(s.Replays, workloadtest.Take(source, -1))
		s.Labels = append(s.Labels, source.Labels())
		if err := workload.Close(source); err != nil {
			t.Error(err)
		}
	}
	return s
}

// Rows that wait for answers are sent out of order, so their trace is in memory whatever
// its size.
func TestATraceWhoseRowsWaitIsInMemory(t *testing.T) {
	opened := leftInFile(t, trace.Mooncake, trace.Options{}, []byte(workloadtest.SessionTrace))
	if !opened.IsHeld() || !opened.AnswersEnds() {
		t.Errorf("in memory: %t, rows wait: %t", opened.IsHeld(), opened.AnswersEnds())
	}
}

// Many replays of a file do not disturb each other.
func TestReplaysOfAFileAreIndependent(t *testing.T) {
	opened := leftInFile(t, trace.Mooncake, trace.Options{}, []byte(generate(t, 200, 1)))
	want := workloadtest.Take(opened.Replay(asRecorded, 1), -1)
	a, b := opened.Replay(asRecorded, 1), opened.Replay(asRecorded, 1)
	for i := range want {
		ra, _ := a.Next()
		rb, _ := b.Next()
		if diff := cmp.Diff([]workload.Request{want[i], want[i]}, []workload.Request{ra, rb}); diff != "" {
			t.Fatalf("request %d (-alone +beside another):\n%s", i, diff)
		}
	}
}

// countedFile counts how often files are open.
type countedFile struct {
	io.Reader
	open *int
}

func (f countedFile) Close() error {
	*f.open--
	return nil
}

func TestFilesAreClosed(t *testing.T) {
	text, open, opened := []byte(generate(t, 50, 1)), 0, 0
	recorded, err := trace.Open(trace.Mooncake, trace.Options{HeldBytes: 1}, func() (io.ReadCloser, error) {
		open++
		opened++
		return countedFile{bytes.NewReader(text), &open}, nil
	}, "trace")
	if err != nil || open != 0 {
		t.Fatalf("%d files are open after reading: %v", open, err)
	}
	recorded.Replay(asRecorded, 1)
	if opened != 1 {
		t.Errorf("a replay that sends nothing opens a file")
	}
	statistics(t, recorded)
	_, _ = recorded.Longer(5, 3)
	source := recorded.Replay(asRecorded, 1)
	workloadtest.Take(source, 3)
	if open != 1 {
		t.Errorf("%d files are open during a replay, want 1", open)
	}
	if err := workload.Close(workload.AnsweredAtOnce(workload.Mix(source, recorded.Replay(asRecorded, 2)))); err != nil || open != 0 {
		t.Errorf("%d files are open after a replay: %v", open, err)
	}
	if _, more := source.Next(); more {
		source.Next()
	}
	if open != 0 {
		t.Errorf("a replay that was closed opens its file again")
	}
}

// A file that changes between two readings ends the replay with an error.
func TestAFileThatChangesIsAnError(t *testing.T) {
	text := []byte(generate(t, 50, 1))
	for name, tc := range map[string]struct {
		second func() (io.ReadCloser, error)
		want   string
	}{
		"another trace": {openText([]byte(generate(t, 50, 2))), "trace: the file has changed since it was first read"},
		"fewer rows":    {openText(text[:bytes.IndexByte(text, '\n')+1]), "trace: the file has changed since it was first read"},
		"no trace":      {openText([]byte("x\n")), "trace: row 1: must be a JSON object"},
		"cut off":       {openText(compress(t, text)[:200]), "trace: row 5: read: unexpected EOF"},
		"gone":          {func() (io.ReadCloser, error) { return nil, errors.New("no such file") }, "trace: no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			open := openText(text)
			recorded, err := trace.Open(trace.Mooncake, trace.Options{HeldBytes: 1}, func() (io.ReadCloser, error) { return open() }, "trace")
			if err != nil {
				t.Fatal(err)
			}
			open = tc.second
			source := recorded.Replay(asRecorded, 1)
			workloadtest.Take(source, -1)
			if err := workload.Close(source); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("error %v, want %s", err, tc.want)
			}
			if _, err := recorded.Statistics(); err == nil {
				t.Error("statistics have no error")
			}
			if _, err := recorded.Longer(1, 1000); err == nil {
				t.Error("the count of long requests has no error")
			}
		})
	}
}
