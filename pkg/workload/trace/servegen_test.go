// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// serveGenArchive is the folder of the package servegen as an archive: 5700 requests in
// 40 minutes.
func serveGenArchive(t testing.TB) []byte {
	t.Helper()
	names, err := filepath.Glob("../servegen/testdata/day/*")
	if err != nil || len(names) == 0 {
		t.Fatalf("no files: %v", err)
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, name := range names {
		text := testfile.Read(t, name)
		if err := w.WriteHeader(&tar.Header{Name: filepath.Base(name), Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func readServeGen(t testing.TB, o trace.Options) *trace.Trace {
	t.Helper()
	described, err := trace.ReadWith(trace.ServeGen, o, bytes.NewReader(serveGenArchive(t)), "t")
	if err != nil {
		t.Fatal(err)
	}
	return described
}

func TestADescriptionDrawsRequestsBySeed(t *testing.T) {
	described := readServeGen(t, trace.Options{})
	draw := func(r trace.Replay, seed int64) []workload.Request {
		return workloadtest.Take(described.Replay(r, seed), -1)
	}
	named := trace.Replay{RateScale: 2, Arrivals: trace.AsRecorded, Client: "day", Tenant: "gold", Priority: 3, Timeout: time.Second}
	first := draw(named, 1)
	workloadtest.CheckOrder(t, first)
	if diff := cmp.Diff(first, draw(named, 1)); diff != "" {
		t.Errorf("the same seed again (-want +got):\n%s", diff)
	}
	if cmp.Equal(arrivalsOf(first), arrivalsOf(draw(named, 2))) {
		t.Error("another seed draws the same arrivals")
	}
	other := named
	other.Client = "night"
	if cmp.Equal(arrivalsOf(first), arrivalsOf(draw(other, 1))) {
		t.Error("another trace of the same folder has the same arrivals")
	}
	if n := float64(len(first)); math.Abs(n-5700) > 300 || described.Requests() != 5700 {
		t.Errorf("%g requests of %d", n, described.Requests())
	}
	if last := first[len(first)-1].Arrival.Seconds(); last > 1200 || last < 1100 {
		t.Errorf("at twice the rate, the last of 40 minutes arrives at %g s", last)
	}
	for _, r := range first {
		if r.Client != 0 || r.Tenant != 0 || r.Priority != 3 || r.Timeout != time.Second {
			t.Fatalf("request %+v", r)
		}
	}
	named.MaxRequests = 10
	if diff := cmp.Diff(first[:10], draw(named, 1)); diff != "" {
		t.Errorf("with a limit (-want +got):\n%s", diff)
	}
}

func TestADescriptionHasStatistics(t *testing.T) {
	described := readServeGen(t, trace.Options{})
	s := statistics(t, described)
	if s.Requests < 5000 || s.Input.Max != 100 || s.Output.Max != 7 || s.ReusableTokens != 0 {
		t.Errorf("statistics %+v", s)
	}
	if got, _, err := described.Longer(100, asRecorded, 1<<60); err != nil || got < 3000 || got > 4000 {
		t.Errorf("%d requests have more than 100 tokens, want those of the second client, 3600; %v", got, err)
	}
	if described.NamesModels() || described.AnswersEnds() {
		t.Error("requests name models, or wait")
	}
}

func TestPartsOfADescription(t *testing.T) {
	slice := trace.Slice{From: 20 * time.Minute, To: 30 * time.Minute}
	if got := readServeGen(t, trace.Options{Slice: slice}).Requests(); got != 2100 {
		t.Errorf("a slice has %d requests, want 2100", got)
	}
	if got := readServeGen(t, trace.Options{Slice: slice, Sample: 0.1}).Requests(); got != 210 {
		t.Errorf("a tenth of a slice has %d requests, want 210", got)
	}
}

func TestDescriptionsAreRecognised(t *testing.T) {
	got, text, err := trace.RecogniseFormat(bytes.NewReader(compress(t, serveGenArchive(t))), "t")
	if err != nil || got != trace.ServeGen {
		t.Fatalf("got %q, %v", got, err)
	}
	recorded, err := trace.Read(got, text, "t")
	if err != nil || recorded.Digest() != readServeGen(t, trace.Options{}).Digest() {
		t.Errorf("compressed: %v", err)
	}
}

// A reader ends before it holds 300 MB.
func TestADescriptionHasABound(t *testing.T) {
	var header bytes.Buffer
	if err := tar.NewWriter(&header).WriteHeader(&tar.Header{Name: "chunk-0-trace.csv", Size: 300 << 20}); err != nil {
		t.Fatal(err)
	}
	text := &endless{}
	_, err := trace.Read(trace.ServeGen, io.MultiReader(&header, text), "t")
	if want := "t: chunk-0-trace.csv: longer than 67108864 bytes"; err == nil || err.Error() != want || text.read > 70<<20 {
		t.Errorf("got %v after %d bytes, want %s", err, text.read, want)
	}
}

func TestADescriptionFitsIntoMemory(t *testing.T) {
	text := serveGenArchive(t)
	for most, fits := range map[int64]bool{int64(len(text)): true, int64(len(text)) - 1: false} {
		_, err := trace.ReadWith(trace.ServeGen, trace.Options{MemoryBytes: most}, bytes.NewReader(text), "t")
		if (err == nil) != fits || err != nil && !strings.HasPrefix(err.Error(), "t: longer than ") {
			t.Errorf("%d bytes of %d: %v", most, len(text), err)
		}
	}
}

func TestDescriptionsHaveNoRows(t *testing.T) {
	var got []string
	for _, err := range (trace.Options{Order: trace.Sort}).Validate(trace.ServeGen, field.NewPath("trace")) {
		got = append(got, err.Error())
	}
	for _, way := range [][2]trace.Format{{trace.ServeGen, trace.Vidur}, {trace.Vidur, trace.ServeGen}} {
		_, err := trace.Convert(way[0], trace.Options{}, strings.NewReader(""), "t", way[1], io.Discard)
		got = append(got, err.Error())
	}
	want := []string{
		"trace.order: Forbidden: may not be Sort for the format ServeGen, which has no rows",
		"t: the format ServeGen has no rows to convert: windtunnel trace generate --servegen draws some",
		"the format ServeGen has no rows to write, want one of " + fmt.Sprint(trace.WrittenFormats()),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	if slices.Contains(trace.WrittenFormats(), trace.ServeGen) {
		t.Error("a description is a format to write")
	}
}
