// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/result"
)

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
