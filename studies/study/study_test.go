// SPDX-License-Identifier: Apache-2.0

package study

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
)

func TestForEachDoesAllAndKeepsErrors(t *testing.T) {
	var sum atomic.Int64
	fault := errors.New("seven")
	err := ForEach(100, func(i int) error {
		sum.Add(int64(i))
		if i == 7 {
			return fault
		}
		return nil
	})
	if sum.Load() != 4950 || !errors.Is(err, fault) {
		t.Errorf("sum %d, error %v", sum.Load(), err)
	}
}

func TestTable(t *testing.T) {
	table := Table{Titles: []string{"what", "n"}}
	table.Add("a", "1")
	if got, want := table.String(), "| what | n |\n| --- | ---: |\n| a | 1 |"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMissingData(t *testing.T) {
	t.Setenv("WINDTUNNEL_DATA", t.TempDir())
	t.Chdir(t.TempDir())
	if _, err := DataFile("traces", "none.csv"); err == nil || !strings.Contains(err.Error(), "traces/none.csv is not here") {
		t.Errorf("%v", err)
	}
}
