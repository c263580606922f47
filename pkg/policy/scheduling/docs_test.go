// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"bytes"
	"flag"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

var update = flag.Bool("update", false, "rewrite docs/scheduling.md")

// documentedVictim is a victim with the schedulers that have it by default.
type documentedVictim struct {
	VictimPolicy
	DefaultOf string
}

func TestThePageOnSchedulers(t *testing.T) {
	page := struct {
		Policies []Policy
		Victims  []documentedVictim
	}{Policies: Policies()}
	for _, v := range Victims() {
		var of []string
		for _, p := range Policies() {
			if p.Victim == v.Name {
				of = append(of, "`"+p.Name+"`")
			}
		}
		text := strings.Join(of, ", ")
		if len(of) > 2 {
			text = "all others"
		}
		page.Victims = append(page.Victims, documentedVictim{v, text})
	}
	var want bytes.Buffer
	if err := template.Must(template.ParseFiles("testdata/scheduling.md.tmpl")).Execute(&want, page); err != nil {
		t.Fatal(err)
	}
	const path = "../../../docs/scheduling.md"
	if *update {
		testfile.Write(t, path, want.Bytes())
	}
	got := testfile.Read(t, path)
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("docs/scheduling.md is not what the registry says; run go test ./pkg/policy/scheduling -run TestThePageOnSchedulers -update\n(−want +got):\n%s", diff)
	}
}
