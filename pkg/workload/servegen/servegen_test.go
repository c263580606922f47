// SPDX-License-Identifier: Apache-2.0

package servegen_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/servegen"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// readFolder reads the clients of a folder.
func readFolder(folder fs.FS) (*servegen.Data, error) {
	in, err := servegen.Archive(folder)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return servegen.ReadArchive(in)
}

func read(t testing.TB, folder fs.FS) *servegen.Data {
	t.Helper()
	data, err := readFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// counts are the requests of a client in each window of so many seconds.
func counts(requests []workload.Request, client int, seconds float64, windows int) []float64 {
	all := make([]float64, windows)
	for _, r := range requests {
		if client < 0 || r.Client == client {
			all[int(r.Arrival.Seconds()/seconds)]++
		}
	}
	return all
}

// Over 200 seeds, each window of each client has the requests that its rate expects.
func TestWindowsHaveTheirRates(t *testing.T) {
	data := read(t, os.DirFS("testdata/day"))
	const seeds = 200
	sums := [2][]float64{make([]float64, 4), make([]float64, 4)}
	for seed := range int64(seeds) {
		requests := workloadtest.Take(data.Source("", seed), -1)
		workloadtest.CheckOrder(t, requests)
		for client := range sums {
			for window, n := range counts(requests, client, 600, 4) {
				sums[client][window] += n / seeds
			}
		}
	}
	for client, want := range [][]float64{{1200, 0, 300, 600}, {600, 600, 1800, 600}} {
		for window, mean := range sums[client] {
			if math.Abs(mean-want[window]) > 0.01*want[window]+1 {
				t.Errorf("client %d has %.1f requests in window %d in the mean, want %.0f", client, mean, window, want[window])
			}
		}
	}
}

func TestLengthsFollowTheHistograms(t *testing.T) {
	inputs, outputs := map[int]int{}, map[int]int{}
	late := 0
	for _, r := range workloadtest.Take(read(t, os.DirFS("testdata/day")).Source("", 1), -1) {
		if r.Client == 0 && r.Arrival.Seconds() >= 1200 {
			late++
			if r.OutputTokens != 7 {
				t.Errorf("an answer of %d tokens, want 7 from 1200 s on", r.OutputTokens)
			}
		}
		if r.Client == 0 {
			inputs[r.Prompt.Tokens()]++
		} else {
			outputs[r.OutputTokens]++
		}
	}
	if len(inputs) != 2 || late == 0 || math.Abs(float64(inputs[10])/float64(inputs[10]+inputs[30])-0.25) > 0.04 {
		t.Errorf("prompts %v, of which %d late ones, want a quarter with 10 tokens and the rest with 30", inputs, late)
	}
	if len(outputs) != 2 || outputs[1] == 0 || outputs[3] == 0 {
		t.Errorf("answers %v, want 1 or 3 tokens", outputs)
	}
}

// Another client in the folder changes no request of a client.
func TestClientsDoNotDependOnOthers(t *testing.T) {
	alone := fstest.MapFS{}
	for _, name := range []string{"chunk-10-trace.csv", "chunk-10-dataset.json"} {
		text := testfile.Read(t, "testdata/day/"+name)
		alone[name] = &fstest.MapFile{Data: text}
	}
	type request struct {
		At     simtime.Time
		Text   prompt.Extent
		Tokens int
	}
	of := func(source workload.Source, client int) []request {
		var all []request
		for _, r := range workloadtest.Take(source, -1) {
			if r.Client == client {
				all = append(all, request{r.Arrival, r.Prompt.Extents[0], r.OutputTokens})
			}
		}
		return all
	}
	if diff := cmp.Diff(of(read(t, alone).Source("", 3), 0), of(read(t, os.DirFS("testdata/day")).Source("", 3), 1)); diff != "" {
		t.Errorf("requests (-alone +beside another):\n%s", diff)
	}
}

// A length 0 is no error, and the description says from how many histograms it is dropped.
func TestTheLengthZeroIsTold(t *testing.T) {
	const dataset = `{"0": {"input_tokens": "{0: 0.000001, 5: 0.999999}", "output_tokens": "{3: 1}"}}`
	data, err := readFolder(fstest.MapFS{"chunk-0-trace.csv": {Data: []byte("0,1,1,,0,0\n600,1,1,,0,0\n")}, "chunk-0-dataset.json": {Data: []byte(dataset)}})
	if err != nil {
		t.Fatal(err)
	}
	if n, share := data.Dropped(); n != 1 || share != 0.000001 {
		t.Errorf("dropped from %d histograms, at most %g", n, share)
	}
}

// A window of few and even gaps has a Gamma law of a great shape: of shape 45,230, the CV is
// 1/sqrt(45230) = 0.0047, and a mean gap of 1 s makes 600 requests in 600 s, give or take one or two.
func TestAGreatShapeHasEvenGaps(t *testing.T) {
	const dataset = `{"0": {"input_tokens": "{5: 1}", "output_tokens": "{3: 1}"}}`
	data, err := readFolder(fstest.MapFS{"chunk-0-trace.csv": {Data: []byte("0,1,0.005,Gamma,45230,0.0000221\n600,0,0,,0,0\n")}, "chunk-0-dataset.json": {Data: []byte(dataset)}})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(workloadtest.Take(data.Source("", 1), -1)); n < 598 || n > 602 {
		t.Errorf("%d requests in 600 s of gaps of 1 s", n)
	}
}

func TestReadErrors(t *testing.T) {
	const window = "0,1,1,Gamma,1,1\n"
	const good = `{"0": {"input_tokens": "{1: 1}", "output_tokens": "{1: 1}"}}`
	for name, tc := range map[string]struct{ trace, dataset, want string }{
		"one window":       {window, good, "chunk-0-trace.csv: must have 2 windows at least, which tell how long a window is"},
		"out of order":     {window + window, good, "chunk-0-trace.csv: row 2: window_start_s: must be later than in the row before"},
		"a field too few":  {"0,1,1,Gamma,1\n", good, "chunk-0-trace.csv: row 1: must have the 6 fields window_start_s,rate_rps,iat_cv,pattern,arg1,arg2, got 5"},
		"a rate of NaN":    {"0,NaN,1,Gamma,1,1\n", good, `chunk-0-trace.csv: row 1: rate_rps: must be a number that is not negative, got "NaN"`},
		"a negative rate":  {"0,-1,1,Gamma,1,1\n", good, `chunk-0-trace.csv: row 1: rate_rps: must be a number that is not negative, got "-1"`},
		"a rate too high":  {"0,1e7,1,Gamma,1,1\n", good, "chunk-0-trace.csv: row 1: rate_rps: must be at most 1e+06 requests/s, got 1e+07"},
		"a foreign law":    {"0,1,1,Pareto,1,1\n", good, `chunk-0-trace.csv: row 1: pattern: must be Gamma, Weibull or empty, got "Pareto"`},
		"a shape of 0":     {"0,1,1,Gamma,0,1\n", good, "chunk-0-trace.csv: row 1: arg1: must be a shape between 0.005 (Weibull: 0.05) and 1000000, got 0"},
		"no JSON":          {window + "600,1,1,,0,0\n", "{", "chunk-0-dataset.json: must be JSON, an object of windows with histograms: unexpected end of JSON input"},
		"a foreign field":  {window + "600,1,1,,0,0\n", `{"0": {"tokens": "{}"}}`, "chunk-0-dataset.json: window 0: tokens: is not known"},
		"an expression":    {window + "600,1,1,,0,0\n", `{"0": {"input_tokens": "{2**3: 1}"}}`, `chunk-0-dataset.json: window 0: input_tokens: must have lengths from 0 to 10000000 tokens, got "2**3: 1"`},
		"no braces":        {window + "600,1,1,,0,0\n", `{"0": {"input_tokens": "dict()"}}`, `chunk-0-dataset.json: window 0: input_tokens: must be lengths and probabilities within braces, got "dict()"`},
		"a length twice":   {window + "600,1,1,,0,0\n", `{"0": {"input_tokens": "{2: 0.5, 2: 0.5}"}}`, "chunk-0-dataset.json: window 0: input_tokens: has the length 2 twice"},
		"a wrong sum":      {window + "600,1,1,,0,0\n", `{"0": {"input_tokens": "{2: 0.5}"}}`, "chunk-0-dataset.json: window 0: input_tokens: must have probabilities that add up to 1, got 0.5"},
		"a share of -1":    {window + "600,1,1,,0,0\n", `{"0": {"input_tokens": "{2: -1}"}}`, `chunk-0-dataset.json: window 0: input_tokens: probability: must be a number that is not negative, got "-1"`},
		"no lengths":       {window + "600,1,1,,0,0\n", `{"0": {"input_tokens": "{1: 1}"}}`, "chunk-0-dataset.json: output_tokens: no window has a histogram, but the client sends requests"},
		"a negative start": {window + "600,1,1,,0,0\n", `{"-5": {}}`, `chunk-0-dataset.json: window: must be a number that is not negative, got "-5"`},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := readFolder(fstest.MapFS{"chunk-0-trace.csv": {Data: []byte(tc.trace)}, "chunk-0-dataset.json": {Data: []byte(tc.dataset)}})
			if data != nil || err == nil || err.Error() != tc.want {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
	for name, tc := range map[string]struct {
		files map[string]string
		want  string
	}{
		"an empty folder": {nil, "there is no chunk-*-trace.csv"},
		"no dataset": {map[string]string{"chunk-0-trace.csv": window + "600,1,1,,0,0\n"},
			"chunk-0-dataset.json: there is no such file next to chunk-0-trace.csv"},
		"a dataset alone": {map[string]string{"chunk-0-trace.csv": window + "600,1,1,,0,0\n", "chunk-0-dataset.json": good, "chunk-1-dataset.json": good},
			"chunk-1-trace.csv: there is no such file next to chunk-1-dataset.json"},
	} {
		folder := fstest.MapFS{}
		for file, text := range tc.files {
			folder[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if _, err := readFolder(folder); err == nil || err.Error() != tc.want {
			t.Errorf("%s: got %v, want %s", name, err, tc.want)
		}
	}
}

// archive packs files, which are names and texts in turn.
func archive(t testing.TB, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: files[i], Mode: 0o644, Size: int64(len(files[i+1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// day is testdata/day as an archive, with a file that is no part of the description.
func day(t testing.TB) []byte {
	t.Helper()
	files := []string{"README.md", "words"}
	for _, name := range []string{"chunk-10-dataset.json", "chunk-0-trace.csv", "chunk-10-trace.csv", "chunk-0-dataset.json"} {
		text := testfile.Read(t, "testdata/day/"+name)
		files = append(files, "a/day/"+name, string(text))
	}
	return archive(t, files...)
}

func TestAnArchiveIsAFolder(t *testing.T) {
	archived, err := servegen.ReadArchive(bytes.NewReader(day(t)))
	if err != nil {
		t.Fatal(err)
	}
	want := workloadtest.Take(read(t, os.DirFS("testdata/day")).Source("", 5), -1)
	if diff := cmp.Diff(want, workloadtest.Take(archived.Source("", 5), -1)); diff != "" {
		t.Errorf("requests (-folder +archive):\n%s", diff)
	}
}

// The archive of a folder is the folder, and the same whatever else is there.
func TestAFolderIsItsArchive(t *testing.T) {
	folder := fstest.MapFS{"README.md": {Data: []byte("words")}}
	for _, name := range []string{"chunk-0-trace.csv", "chunk-0-dataset.json", "chunk-10-trace.csv", "chunk-10-dataset.json"} {
		text := testfile.Read(t, "testdata/day/"+name)
		folder[name] = &fstest.MapFile{Data: text, ModTime: time.Unix(1_700_000_000, 0)}
	}
	var archives [2][]byte
	for i, f := range []fs.FS{folder, os.DirFS("testdata/day")} {
		in, err := servegen.Archive(f)
		if err != nil {
			t.Fatal(err)
		}
		if archives[i], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("another time and another file make another archive")
	}
	archived, err := servegen.ReadArchive(bytes.NewReader(archives[0]))
	if err != nil {
		t.Fatal(err)
	}
	want := workloadtest.Take(read(t, os.DirFS("testdata/day")).Source("", 5), -1)
	if diff := cmp.Diff(want, workloadtest.Take(archived.Source("", 5), -1)); diff != "" {
		t.Errorf("requests (-folder +archive):\n%s", diff)
	}
	if _, err := servegen.Archive(fstest.MapFS{"README.md": {}}); err == nil || err.Error() != "there is no chunk-*-trace.csv" {
		t.Errorf("a folder without clients: %v", err)
	}
	in, err := servegen.Archive(folder)
	if err == nil {
		err = in.Close() // which ends the archive
	}
	if err != nil {
		t.Error(err)
	}
}

func TestArchiveErrors(t *testing.T) {
	const windows = "0,1,1,Gamma,1,1\n600,1,1,,0,0\n"
	whole := day(t)
	for name, tc := range map[string]struct {
		text []byte
		want string
	}{
		"nothing":         {nil, "there is no chunk-*-trace.csv"},
		"no archive":      {bytes.Repeat([]byte("words "), 200), "must be a tar archive of a ServeGen folder: archive/tar: invalid tar header"},
		"cut off":         {whole[:1580], "chunk-10-dataset.json: read: unexpected EOF"},
		"a file twice":    {archive(t, "a/chunk-0-trace.csv", windows, "b/chunk-0-trace.csv", windows), "chunk-0-trace.csv: is there twice"},
		"a file too long": {archive(t, "chunk-0-trace.csv", strings.Repeat(" ", 64<<20+1)), "chunk-0-trace.csv: longer than 67108864 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := servegen.ReadArchive(bytes.NewReader(tc.text))
			if data != nil || err == nil || err.Error() != tc.want {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

// A slice has the rates of its part of the day, from 0 on, and a sample a share of them.
func TestPartsOfADay(t *testing.T) {
	whole := read(t, os.DirFS("testdata/day"))
	for name, tc := range map[string]struct {
		data    *servegen.Data
		missing float64   // share of the requests
		want    []float64 // requests in each window of 600 s
	}{
		"all":                 {whole, 0, []float64{1800, 600, 2100, 1200}},
		"from 300 s":          {whole.Slice(300*time.Second, 0), 0, []float64{1200, 1350, 1650, 600}},
		"from 300 s to 900 s": {whole.Slice(300*time.Second, 900*time.Second), 0, []float64{1200, 0, 0, 0}},
		"a quarter":           {whole.Sample(0.25), 0.75, []float64{450, 150, 525, 300}},
		"a quarter of a part": {whole.Slice(1200*time.Second, 0).Sample(0.25), 0.75, []float64{525, 300, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			expected := 0.0
			for _, n := range tc.want {
				expected += n
			}
			if got := tc.data.Expected(); math.Abs(got-expected) > 1e-6 {
				t.Errorf("%g requests are expected, want %g", got, expected)
			}
			const seeds = 100
			mean := make([]float64, 4)
			for seed := range int64(seeds) {
				for window, n := range counts(workloadtest.Take(tc.data.Source("", seed), -1), -1, 600, 4) {
					mean[window] += n / seeds
				}
			}
			for window, want := range tc.want {
				// The numbers of the requests of a sample are the same under each seed.
				if math.Abs(mean[window]-want) > 0.02*want+3*math.Sqrt(want*tc.missing) {
					t.Errorf("%.1f requests in window %d in the mean, want %.0f", mean[window], window, want)
				}
			}
		})
	}
}

// What a sample keeps is there in the whole, and in a greater sample.
func TestASampleIsOfTheWhole(t *testing.T) {
	whole := read(t, os.DirFS("testdata/day"))
	arrivals := func(d *servegen.Data) map[simtime.Time]bool {
		all := map[simtime.Time]bool{}
		for _, r := range workloadtest.Take(d.Source("", 1), -1) {
			all[r.Arrival] = true
		}
		return all
	}
	of, small, great := arrivals(whole), arrivals(whole.Sample(0.1)), arrivals(whole.Sample(0.3))
	for at := range small {
		if !of[at] || !great[at] {
			t.Fatalf("a request at %v is in the sample only", at)
		}
	}
	if len(small) == 0 || len(great) <= len(small) || len(of) <= len(great) {
		t.Errorf("%d, %d and %d requests", len(small), len(great), len(of))
	}
}

// published is the description of a day that is published.
func published(t *testing.T) *servegen.Data {
	t.Helper()
	file := testfile.Open(t, testdata.File(t, "traces", "servegen", "deepseek-r1.tar.gz"))
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	data, err := servegen.ReadArchive(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The rates by hour were added up from the files without this package. A day of the
// published clients is so bursty that an hour differs from its rate by some percent.
func TestThePublishedDayHasItsRateByHour(t *testing.T) {
	want := []float64{
		19.31, 22.25, 32.58, 28.64, 17.04, 14.54, 12.00, 9.24, 9.54, 10.63, 12.98, 13.29,
		7.16, 8.72, 10.96, 11.27, 14.06, 8.86, 12.00, 9.40, 19.86, 25.97, 35.13, 18.91,
	}
	requests := workloadtest.Take(published(t).Source("", 1), -1)
	if got := float64(len(requests)) / 86_400; math.Abs(got-16.01) > 0.3 {
		t.Errorf("%.2f requests/s over the day, want 16.01", got)
	}
	page := testfile.Read(t, "../../../docs/trace-formats.md")
	for hour, n := range counts(requests, -1, 3600, 24) {
		if row := fmt.Sprintf("| %d | %.2f | %.2f |", hour, want[hour], n/3600); !bytes.Contains(page, []byte(row)) {
			t.Errorf("docs/trace-formats.md lacks %s", row)
		}
		if rate := n / 3600; math.Abs(rate-want[hour]) > 0.1*want[hour] {
			t.Errorf("%.2f requests/s in hour %d, want %.2f", rate, hour, want[hour])
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"chunk-0", "chunk-10"} {
		trace := testfile.Read(f, "testdata/day/"+name+"-trace.csv")
		dataset := testfile.Read(f, "testdata/day/"+name+"-dataset.json")
		f.Add(trace, dataset)
	}
	f.Fuzz(func(t *testing.T, trace, dataset []byte) {
		data, err := readFolder(fstest.MapFS{"chunk-0-trace.csv": {Data: trace}, "chunk-0-dataset.json": {Data: dataset}})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "chunk-0") {
				t.Fatalf("error %q does not name the file", err)
			}
			return
		}
		workloadtest.CheckOrder(t, workloadtest.Take(data.Source("", 1), 100))
	})
}

func FuzzReadArchive(f *testing.F) {
	f.Add(day(f))
	f.Fuzz(func(t *testing.T, text []byte) {
		data, err := servegen.ReadArchive(bytes.NewReader(text))
		if err == nil {
			workloadtest.CheckOrder(t, workloadtest.Take(data.Source("", 1), 100))
		}
	})
}

func BenchmarkSource(b *testing.B) {
	data := read(b, os.DirFS("testdata/day"))
	source := data.Source("", 1)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := source.Next(); !ok {
			source = data.Source("", 1)
		}
	}
}
