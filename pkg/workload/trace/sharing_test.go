// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPromptsThatShareABeginning converts a CSV with a statement of what prompts share, and
// counts the leading blocks of 16 tokens that each prompt shares with the first one of its
// tenant or session, or with the first one at all.
//
// By hand: a beginning of 40 tokens has 2 full blocks of 16, and a prompt of 20 tokens has 1.
// In a session each prompt repeats the one before, so the second of 70 tokens shares the 3 full
// blocks of the first of 50. Of the texts, 64 bytes are a block: "x" 130 times and "x" 70 times
// with 60 others share 1 block of 64 bytes, and not the second.
func TestPromptsThatShareABeginning(t *testing.T) {
	long := strings.Repeat("x", 130)
	rows := []string{
		"time,in,out,tenant,session,prompt",
		"0,50,1,a,s," + long,
		"1,70,1,a,s," + strings.Repeat("x", 70) + strings.Repeat("y", 60),
		"2,20,1,a,,short",
		"3,50,1,b,," + long,
		"4,50,1,,,",
	}
	columns := CSV{Time: "time", Input: "in", Output: "out", Tenant: "tenant", Session: "session", TimeFormat: Seconds}
	withText := columns
	withText.Text = "prompt"
	for name, tc := range map[string]struct {
		csv     CSV
		sharing Sharing
		// want are the blocks of rows that begin like the first row's, and blocks how many rows have.
		want, blocks []int
	}{
		"nothing stated":         {columns, Sharing{}, []int{0, 0, 0, 0, 0}, []int{0, 0, 0, 0, 0}},
		"40 tokens of a tenant":  {columns, Sharing{SharedByTenant, 40}, []int{2, 2, 1, 0, 0}, []int{2, 2, 1, 2, 0}},
		"40 tokens of all":       {columns, Sharing{SharedByAll, 40}, []int{2, 2, 1, 2, 2}, []int{2, 2, 1, 2, 2}},
		"a whole session":        {columns, Sharing{By: SharedBySession}, []int{3, 3, 0, 0, 0}, []int{3, 4, 0, 0, 0}},
		"16 tokens of a session": {columns, Sharing{SharedBySession, 16}, []int{1, 1, 0, 0, 0}, []int{1, 1, 0, 0, 0}},
		"texts":                  {withText, Sharing{By: SharedByText}, []int{2, 1, 0, 2, 0}, []int{2, 2, 0, 2, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			o := Options{CSV: &tc.csv, Sharing: tc.sharing}
			if _, err := Convert(GenericCSV, o, strings.NewReader(strings.Join(rows, "\n")+"\n"), "t", Windtunnel, &out); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(out.String(), "xxx") {
				t.Errorf("the text is written:\n%s", &out)
			}
			var want, blocks []int
			var first []uint64
			parse := (&windtunnelParser{names: map[string]string{}}).parse
			for n, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
				var rec record
				if holds, err := parse(&rec, n+1, []byte(line)); err != nil {
					t.Fatal(err)
				} else if !holds {
					continue
				}
				if len(blocks) == 0 {
					first = append(first, rec.ids...)
				}
				alike := 0
				for alike < min(len(first), len(rec.ids)) && first[alike] == rec.ids[alike] {
					alike++
				}
				want, blocks = append(want, alike), append(blocks, len(rec.ids))
			}
			if diff := cmp.Diff([][]int{tc.want, tc.blocks}, [][]int{want, blocks}); diff != "" {
				t.Errorf("−want +got:\n%s\n%s", diff, &out)
			}
		})
	}
}

func TestStatementsOfSharingThatAreRefused(t *testing.T) {
	columns := CSV{Time: "time", Input: "in", Output: "out", TimeFormat: Seconds}
	for name, o := range map[string]Options{
		"no such thing":           {CSV: &columns, Sharing: Sharing{By: "user", Tokens: 5}},
		"a tenant without length": {CSV: &columns, Sharing: Sharing{By: SharedByTenant}},
		"no column of tenants":    {CSV: &columns, Sharing: Sharing{By: SharedByTenant, Tokens: 50}},
		"no column of sessions":   {CSV: &columns, Sharing: Sharing{By: SharedBySession}},
	} {
		if errs := o.Validate(GenericCSV, nil); len(errs) == 0 {
			t.Errorf("%s is valid", name)
		}
	}
	if errs := (Options{Sharing: Sharing{By: SharedByAll, Tokens: 5}}).Validate(Mooncake, nil); len(errs) == 0 {
		t.Error("a format with hash ids shares what its ids say")
	}
}
