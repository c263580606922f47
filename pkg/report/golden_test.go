// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/result"
)

var update = flag.Bool("update", false, "rewrite the files under testdata")

// golden compares got with a file under testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		testfile.Write(t, path, got)
	}
	want := testfile.Read(t, path)
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s, −want +got (rewrite with -update):\n%s", path, diff)
	}
}

// recorded reads what the tests of pkg/result recorded.
func recorded(t *testing.T, name string, into any) {
	t.Helper()
	raw := testfile.Read(t, filepath.Join("..", "result", "testdata", name))
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func recordedBoard(t *testing.T, name string) *result.Leaderboard {
	t.Helper()
	var l *result.Leaderboard
	recorded(t, name, &l)
	return l
}

func objective(text string, d result.Direction) result.Objective {
	return result.Objective{Measure: result.Of(result.MustParseMetric(text)), Direction: d}
}

func printed(t *testing.T, l *result.Leaderboard) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteLeaderboard(&b, l); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
