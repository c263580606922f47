// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/pkg/result"
)

func TestRequestsHaveTheSameBytesAtAnyParallelism(t *testing.T) {
	traces := cmdtest.TraceManifest(t)
	for _, verb := range []string{"run", "sweep"} {
		args := []string{verb, "-f", "testdata/" + verb + ".yaml", "--configmap", traces}
		one, _ := cmdtest.RequestsOf(t, windtunnel, append(args, "--parallelism", "1")...)
		for _, n := range []string{"1", "7"} {
			if many, _ := cmdtest.RequestsOf(t, windtunnel, append(args, "--parallelism", n)...); !bytes.Equal(one, many) {
				t.Errorf("%s: --parallelism %s gives other bytes", verb, n)
			}
		}
	}
}

// What the rows say of requests adds up to what the results say.
func TestRequestsAddUpToTheResults(t *testing.T) {
	for name, manifest := range map[string]string{
		"one pool, a warm-up":    "../../config/samples/simulationrun-poisson.yaml",
		"prefill apart":          "../../config/samples/simulationrun-disaggregated.yaml",
		"tiers":                  "../../config/samples/simulationrun-tiers.yaml",
		"evictions":              "testdata/evict.yaml",
		"everything is rejected": cmdtest.TooLong(t, "testdata/run.yaml"),
		"cut off":                cmdtest.Edited(t, "testdata/evict.yaml", "requests: 300", "requests: 300, drain: 1s"),
	} {
		t.Run(name, func(t *testing.T) {
			file, stdout := cmdtest.RequestsOf(t, windtunnel, "run", "-f", manifest, "--configmap", cmdtest.TraceManifest(t), "-o", "json")
			var out Output
			if err := json.NewDecoder(strings.NewReader(stdout)).Decode(&out); err != nil {
				t.Fatal(err)
			}
			rows := cmdtest.ReadRequests(t, file)
			for _, d := range out.Results {
				compareWithDocument(t, d, slices.DeleteFunc(slices.Clone(rows), func(r result.RequestRow) bool { return r.Seed != d.Seed || !r.Measured }))
			}
		})
	}
}

func compareWithDocument(t *testing.T, d *result.Document, rows []result.RequestRow) {
	t.Helper()
	var got result.Requests
	var prompt, gpu, computed, stored int64
	ttft, n := 0.0, 0
	for i := range rows {
		r := &rows[i]
		got.Arrived++
		switch r.Outcome {
		case "completed":
			got.Completed++
		case "failed":
			got.Failed++
		case "unfinished":
			got.Unfinished++
		case "rejected":
			got.Rejected++
			if got.RejectedBy == nil {
				got.RejectedBy = result.Rejections{}
			}
			got.RejectedBy[*r.Reason]++
		}
		if r.GPUTokens != nil {
			prompt, gpu, computed, stored = prompt+r.PromptTokens, gpu+*r.GPUTokens, computed+*r.ComputedTokens, stored+*r.CPUTokens+*r.StorageTokens
		}
		if r.TTFTSeconds != nil {
			ttft, n = ttft+*r.TTFTSeconds, n+1
		}
	}
	want := d.Overall.Requests
	want.WithTargets, want.Good = 0, 0
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("seed %d, requests (−result +rows):\n%s", d.Seed, diff)
	}
	if prompt != d.Overall.Tokens.Prompt || prompt != gpu+computed+stored || d.Overall.CacheHit != nil && gpu != d.Overall.CacheHit.GPUTokens {
		t.Errorf("seed %d: %d prompt tokens, %d of the GPU, %d of tiers, %d computed; the result has %d and %+v", d.Seed, prompt, gpu, stored, computed, d.Overall.Tokens.Prompt, d.Overall.CacheHit)
	}
	if l := d.Overall.TTFT; l != nil && (int64(n) != l.Count || math.Abs(ttft/float64(n)-l.Mean) > 1e-9*l.Mean) {
		t.Errorf("seed %d: TTFT of %d requests is %v, and the result has %d and %v", d.Seed, n, ttft/float64(n), l.Count, l.Mean)
	}
}

func TestRequestsThatWereHandedOver(t *testing.T) {
	file, _ := cmdtest.RequestsOf(t, windtunnel, "run", "-f", "../../config/samples/simulationrun-disaggregated.yaml")
	remote := int64(0)
	for _, r := range cmdtest.ReadRequests(t, file) {
		if r.RemoteTokens == nil || *r.RemoteTokens < 0 || *r.RemoteTokens > r.PromptTokens {
			t.Fatalf("request %d: %v of %d tokens are remote", r.Request, r.RemoteTokens, r.PromptTokens)
		}
		remote += *r.RemoteTokens
	}
	if remote == 0 {
		t.Error("no tokens were handed over")
	}
}

func TestRequestsAreThereOnlyWhereAllWasSimulated(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "requests.parquet")
	for what, args := range map[string][]string{
		"a sweep that fails":  {"sweep", "-f", cmdtest.TooLong(t, "testdata/sweep.yaml"), "--configmap", cmdtest.TraceManifest(t), "--requests", name},
		"with a state":        {"sweep", "-f", "testdata/sweep.yaml", "--configmap", cmdtest.TraceManifest(t), "--requests", name, "--state", filepath.Join(folder, "state")},
		"a folder is missing": {"run", "-f", "testdata/run.yaml", "--requests", filepath.Join(folder, "missing", "r.parquet")},
	} {
		if _, err := windtunnel(t, args...); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if left, _ := filepath.Glob(folder + "/*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// The page on data frames names every column of the file, and no other one.
func TestTheDocumentsColumnsAreThoseOfTheFile(t *testing.T) {
	raw := cmdtest.TextOf(t, "../../docs/data-frames.md")
	_, table, _ := strings.Cut(raw, "<!-- columns of --requests -->")
	table, _, _ = strings.Cut(table, "<!-- end -->")
	var documented, columns []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)` \\|").FindAllStringSubmatch(table, -1) {
		documented = append(documented, m[1])
	}
	for _, path := range parquet.SchemaOf(result.RequestRow{}).Columns() {
		columns = append(columns, strings.Join(path, "."))
	}
	if diff := cmp.Diff(columns, documented); diff != "" {
		t.Errorf("docs/data-frames.md (−file +page):\n%s", diff)
	}
	// What the snippets name in quotes or beside a data frame is a column too.
	for _, m := range regexp.MustCompile(`requests\["([a-z0-9_]+)"\]|requests\.([a-z0-9_]+)\b`).FindAllStringSubmatch(raw, -1) {
		if name := m[1] + m[2]; name != "parquet" && name != "groupby" && name != "query" && !slices.Contains(columns, name) {
			t.Errorf("a snippet names %q, which is no column", name)
		}
	}
}
