// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/pkg/result"
)

func TestLeaderboardGolden(t *testing.T) {
	for _, name := range []string{"leaderboard-empty", "leaderboard-one-seed", "leaderboard", "leaderboard-no-baseline", "leaderboard-raced"} {
		t.Run(name, func(t *testing.T) {
			golden.Check(t, "testdata/"+name+".txt", printed(t, recordedBoard(t, name+".json")))
		})
	}
}

func TestColumnsOfLeaderboards(t *testing.T) {
	for name, want := range map[string][]string{
		"leaderboard-capacity.json": {"≥ 10 … !", "10 – 10.2", "9 – 9.5 ?", "< 1", "The scenario holds a rate of 10, the greatest that was tried.", "ranked by capacity: the highest rate", "Equal candidates are ranked by the mean of ttft.mean"},
		"leaderboard-kinds.json":    {"best of its kind", "4·2", "same bins of cacheHit.gpu"},
	} {
		text := printed(t, recordedBoard(t, name))
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s: the table lacks %q:\n%s", name, part, text)
			}
		}
	}
}

func TestContrastGolden(t *testing.T) {
	var c *result.Contrast
	recorded(t, "contrast.json", &c)
	var b strings.Builder
	if err := WriteContrast(&b, c); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/contrast.txt", b.String())
}
