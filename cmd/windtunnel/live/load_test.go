// SPDX-License-Identifier: Apache-2.0

package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/live/load"
	"windtunnel.dev/windtunnel/pkg/report/benchmark"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

const loadManifest = `
apiVersion: sim.windtunnel.dev/v1alpha1
kind: SimulationRun
metadata: {name: small}
spec:
  scenario:
    horizon: {requests: 20}
    pools: [{name: llama, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, replicas: 1}]
    router: {endpointPickerConfig: {version: router-v0.10, inline: "kind: EndpointPickerConfig\napiVersion: llm-d.ai/v1alpha1\n"}}
    workload:
      clients:
      - name: chat
        arrivals: {process: Poisson, rate: "200"}
        inputTokens: {distribution: Uniform, min: 10, max: 20}
        outputTokens: {distribution: Constant, mean: "4"}
  replications: {seed: 7}
`

// loadFile is a file with the manifest.
func loadFile(t *testing.T) string { return writeManifest(t, loadManifest) }

func writeManifest(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "run.yaml")
	testfile.Write(t, name, []byte(text))
	return name
}

// newFastServer answers at once.
func newFastServer(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Prompt    string `json:"prompt"`
			MaxTokens int    `json:"max_tokens"`
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		for range asked.MaxTokens {
			fmt.Fprint(w, "data: {\"choices\":[{\"text\":\" the\"}]}\n\n")
		}
		fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d}}\n\ndata: [DONE]\n\n", len(asked.Prompt)/4, asked.MaxTokens)
	}))
	t.Cleanup(s.Close)
	return s
}

// runLoad runs the verb load, and returns what it prints.
func runLoad(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := cli.NewRoot(NewLoadCommand())
	cmd.SetArgs(append([]string{"load"}, args...))
	cmd.SetOut(&out)
	cmd.SetErr(&bytes.Buffer{})
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

func TestLoadMeasuresTheAnswers(t *testing.T) {
	requests := filepath.Join(t.TempDir(), "requests.parquet")
	out, err := runLoad(t, "-f", loadFile(t), "--target", newFastServer(t).URL, "-o", "json", "--requests", requests)
	if err != nil {
		t.Fatal(err)
	}
	got := jsontest.Decode[loadOutput](t, []byte(out))
	if got.Metadata.Name != "small" || got.Client.Sent != 20 || len(got.Rows) != 1 || got.Rows[0].Seed != 7 {
		t.Errorf("printed: %s", out)
	}
	if completed, _ := got.Rows[0].Metrics.Get("completionRate"); completed != 1 {
		t.Errorf("the completion rate is %v", completed)
	}
	if preemptions, known := got.Rows[0].Metrics.Get("preemptions"); known {
		t.Errorf("a client counts %v preemptions", preemptions)
	}
	if ttft, ok := got.Rows[0].Metrics.Get("ttft.p99"); !ok || ttft <= 0 || ttft > 5 {
		t.Errorf("ttft.p99 is %v", ttft)
	}
	rows, err := parquet.ReadFile[result.RequestRow](requests)
	if err != nil {
		t.Fatal(err)
	}
	completed := 0
	for i := range rows {
		if rows[i].Outcome == "completed" && *rows[i].OutputTokens == 4 && rows[i].PromptTokens >= 10 && rows[i].Object == "small" {
			completed++
		}
	}
	if completed != 20 {
		t.Errorf("%d of %d rows are whole", completed, len(rows))
	}
}

// TestLoadWritesALog has answers of 4 tokens; the server does not tell what it had in its cache.
func TestLoadWritesALog(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.jsonl")
	if _, err := runLoad(t, "-f", loadFile(t), "--target", newFastServer(t).URL, "--log", log); err != nil {
		t.Fatal(err)
	}
	file := testfile.Open(t, log)
	got, err := trace.ReadOutcomes(trace.Windtunnel, trace.Options{}, file, log)
	if err != nil {
		t.Fatal(err)
	}
	if got.Requests != 20 || got.Failed != 0 || len(got.TTFT) != 20 || got.OutputTokens != 80 || got.CacheHit != nil {
		t.Errorf("the log says %+v", got)
	}
}

func TestHowALogSaysThatRequestsWereServed(t *testing.T) {
	of := simulator.RequestEnd{Arrival: 10, FirstToken: 13, End: 19, Scheduled: true, CachedTokens: 5}
	for ended, want := range map[string]trace.Outcome{
		"completed":  {Status: 200, TTFT: 3, E2E: 9, Cached: new(int32(5))},
		"rejected":   {Status: 429, E2E: 9},
		"timed out":  {Status: 499, E2E: 9},
		"failed":     {Status: 500, E2E: 9},
		"unfinished": {},
	} {
		of.Ended = ended
		if diff := cmp.Diff(want, served(&load.Outcome{RequestEnd: of})); diff != "" {
			t.Errorf("%s (−want +got):\n%s", ended, diff)
		}
	}
}

func TestLoadWritesABenchmarkReport(t *testing.T) {
	server := newFastServer(t)
	out, err := runLoad(t, "-f", loadFile(t), "--target", server.URL, "-o", "benchmark-report")
	if err != nil {
		t.Fatal(err)
	}
	report, errs := benchmark.Read([]byte(out))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if report.IsSimulated() {
		t.Error("the report is of a simulation")
	}
	aggregate := report.Results.RequestPerformance.Aggregate
	if aggregate.Requests.Total != 20 || *aggregate.Requests.Failures != 0 || aggregate.Latency.TimeToFirstToken == nil {
		t.Errorf("requests: %+v", aggregate.Requests)
	}
	if want := "small (sent to " + server.URL + " by windtunnel)"; report.Run.Description != want {
		t.Errorf("the label is %q, want %q", report.Run.Description, want)
	}
}

func TestLoadRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"no target":          {nil, "name one of --target and --epp"},
		"two targets":        {[]string{"--target", "http://a", "--epp", "b:1"}, "name one of --target and --epp"},
		"a target, no URL":   {[]string{"--target", "127.0.0.1:8000"}, `--target "127.0.0.1:8000": must be a URL, as http://127.0.0.1:8000`},
		"a speed of 0":       {[]string{"--target", "http://a", "--speed", "0"}, "--speed 0: must be above 0, and at most 1000"},
		"a seed below 0":     {[]string{"--target", "http://a", "--seed", "-7"}, "--seed -7: must be at least 0"},
		"an unknown API":     {[]string{"--target", "http://a", "--api", "embeddings"}, "--api embeddings: must be completions or chat"},
		"a log in no folder": {[]string{"--target", "http://a", "--log", "/none/log"}, "--log: the folder /none cannot be used: "},
		"rows in a folder":   {[]string{"--target", "http://a", "--requests", "."}, "--requests: . is a folder; name a file"},
		"an unknown object":  {[]string{"--target", "http://a", "--name", "other"}, "other"},
	} {
		_, err := runLoad(t, append([]string{"-f", loadFile(t)}, tc.args...)...)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: the error is %v, want %q", name, err, tc.want)
		}
		if code := cli.ExitCode(err); code != 2 {
			t.Errorf("%s: exit code %d", name, code)
		}
	}
}

// TestLoadAsksForTheModelThatIsSet has a server of another model than the manifest's.
func TestLoadAsksForTheModelThatIsSet(t *testing.T) {
	var asked struct {
		Model string `json:"model"`
	}
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	_, _ = runLoad(t, "-f", loadFile(t), "--target", s.URL, "--set", "horizon.requests=1", "--set", "pools[llama].model=Qwen/Qwen3-8B")
	if asked.Model != "Qwen/Qwen3-8B" {
		t.Errorf("a request asks for %q", asked.Model)
	}
}

func TestLoadTellsWhatFailed(t *testing.T) {
	out, err := runLoad(t, "-f", loadFile(t), "--target", "http://127.0.0.1:1")
	if want := "each of the 20 requests failed"; err == nil || err.Error() != want || cli.ExitCode(err) != 1 {
		t.Errorf("the error is %v, want %q", err, want)
	}
	if want := "20 requests: "; !strings.Contains(out, want) || !strings.Contains(out, "connection refused") {
		t.Errorf("the faults are not told (−want +got):\n%s", cmp.Diff(want, out))
	}
}
