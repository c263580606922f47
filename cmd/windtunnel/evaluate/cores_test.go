// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/pkg/evaluate"
)

// compactWallTime is wallTime without spaces.
var compactWallTime = regexp.MustCompile(`,"sim_wall_ms":\d+`)

// compactAnswer is the answer without the time that it took.
func compactAnswer(t *testing.T, raw string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(raw)); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return compactWallTime.ReplaceAllString(b.String(), "")
}

// askServer asks about a program under three seeds.
func askServer(t *testing.T, url, source, summary string) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"language": "starlark", "policy": source, "summary": summary,
		"examples": []map[string]int{{"seed": 1}, {"seed": 2}, {"seed": 3}},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.Post(url+"/v1/evaluate_examples", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	raw, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%d %s %v", r.StatusCode, raw, err)
	}
	return string(raw)
}

// Answers are the same bytes, but for the time that they took, by each door, on any number of
// cores, with any number of simulations at once.
func TestAnswersAreTheSameBytesByEachDoor(t *testing.T) {
	const scenario = "testdata/explain.yaml"
	source := cmdtest.TextOf(t, samplePolicy)
	for _, summary := range evaluate.Summaries {
		t.Run(string(summary), func(t *testing.T) {
			args := []string{"evaluate", "--policy", samplePolicy, "--scenario", scenario, "--objective", "ttft.p99,target=100ms", "--seed", "1,2,3", "--summary", string(summary), "-o", "json"}
			want := ""
			same := func(by, raw string) {
				t.Helper()
				got := compactAnswer(t, raw)
				if want == "" {
					want = got
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-first +this):\n%s", by, diff)
				}
			}
			for _, cores := range []int{1, 2} {
				before := runtime.GOMAXPROCS(cores)
				for _, n := range []string{"1", "3"} {
					same(fmt.Sprintf("evaluate with %d cores, %s at once", cores, n), mustRun(t, append(args, "--parallelism", n)...))
					url := startServer(t, "--scenario", scenario, "--objective", "ttft.p99,target=100ms", "--concurrency", n)
					same(fmt.Sprintf("serve with %d cores, %s at once", cores, n), askServer(t, url, source, string(summary)))
				}
				runtime.GOMAXPROCS(before)
			}
			if told := strings.Count(want, `"summary_text":"## Outcome`); told != 3 && summary != evaluate.NoSummary || told > 0 && summary == evaluate.NoSummary {
				t.Errorf("%d summaries", told)
			}
		})
	}
}
