// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/report/page"
)

// pageData are the numbers of a page in a file.
func pageData[T any](t *testing.T, name string) *T {
	t.Helper()
	_, after, _ := strings.Cut(cmdtest.TextOf(t, name), `id="data">`)
	text, _, _ := strings.Cut(after, "</script>")
	data := jsontest.Decode[T](t, []byte(text))
	return &data
}

// The page of a sweep follows the baseline and the best candidate through time, each over the
// seeds that it was judged by.
func TestThePageOfASweepFollowsTwoCandidates(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.html")
	plain := mustRun(t, "sweep", "-f", filepath.Join(cmdtest.Samples, "policysweep-gates.yaml"), "-o", "json")
	if mustRun(t, "sweep", "-f", filepath.Join(cmdtest.Samples, "policysweep-gates.yaml"), "-o", "json", "--report", file) != plain {
		t.Error("a report changes what is printed")
	}
	data := pageData[page.SweepData](t, file)
	if data.Series == nil || data.Series.Runs < 2 {
		t.Fatalf("series %+v", data.Series)
	}
	seen := map[string]bool{}
	for _, track := range data.Series.Tracks {
		seen[track.Of] = true
	}
	if !seen["baseline"] || !seen["best"] || len(seen) != 2 {
		t.Errorf("the lines are of %v", seen)
	}
}

func TestThePageOfASweepWithWorkloadsSaysWhatItLacks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.html")
	mustRun(t, "sweep", "-f", "../../config/samples/policysweep-workloads.yaml", "--report", file)
	if text := cmdtest.TextOf(t, file); !strings.Contains(text, "A sweep with workloads has no time series") {
		t.Error("the page does not say why it has no time series")
	}
}

func TestThePageOfAnEvolutionHasItsLineage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.html")
	mustRun(t, "sweep", "-f", "../../config/samples/policysweep-evolve.yaml", "--report", file)
	data := pageData[page.SweepData](t, file)
	if data.Evolution == nil || len(data.Evolution.Line) < 2 || data.Evolution.Line[len(data.Evolution.Line)-1] != data.Best {
		t.Errorf("evolution %+v of best %d", data.Evolution, data.Best)
	}
}
