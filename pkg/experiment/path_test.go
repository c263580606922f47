// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"strings"
	"testing"
)

func TestParsePath(t *testing.T) {
	tests := map[string]struct {
		text    string
		want    string // rendered again; empty where an error is wanted
		wantErr string
	}{
		"a field":                           {text: "horizon", want: "horizon"},
		"fields":                            {text: "router.metricsRefreshInterval", want: "router.metricsRefreshInterval"},
		"an entry by name":                  {text: "pools[llama].engine.maxNumSeqs", want: "pools[llama].engine.maxNumSeqs"},
		"an entry's name may hold dots":     {text: "a[x.y].b", want: "a[x.y].b"},
		"an entry by number":                {text: "a[0].b[12]", want: "a[0].b[12]"},
		"an entry of an entry":              {text: "a[b][c]", want: "a[b][c]"},
		"nothing is refused":                {text: "", wantErr: "is empty"},
		"a bracket at the start is refused": {text: "[a]", wantErr: "bracket"},
		"an open bracket is refused":        {text: "a[b", wantErr: "unclosed bracket"},
		"empty brackets are refused":        {text: "a[]", wantErr: "empty brackets"},
		"a trailing dot is refused":         {text: "a.", wantErr: "empty field name"},
		"two dots are refused":              {text: "a..b", wantErr: "empty field name"},
		"a stray bracket is refused":        {text: "a]b", wantErr: "needs a dot"},
		"a missing dot is refused":          {text: "a[b]c", wantErr: "needs a dot"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			path, err := parsePath(tc.text)
			if tc.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tc.wantErr) {
					t.Fatalf("parsePath(%q): error %v, want one with %q", tc.text, err, tc.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatalf("parsePath(%q): %v", tc.text, err)
			}
			if got := Render(path); got != tc.want {
				t.Errorf("parsePath(%q) renders as %q, want %q", tc.text, got, tc.want)
			}
		})
	}
}

func FuzzParsePath(f *testing.F) {
	f.Add("pools[llama].engine.maxNumSeqs")
	f.Add("a[b][c].d")
	f.Add("[].]")
	f.Fuzz(func(t *testing.T, text string) {
		path, err := parsePath(text)
		if err != nil {
			return
		}
		if got := Render(path); got != text {
			t.Errorf("parsePath(%q) renders as %q", text, got)
		}
	})
}
