// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"bytes"
	"strings"
	"testing"
	"text/template"

	"windtunnel.dev/windtunnel/internal/testing/golden"
)

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
	golden.Check(t, path, want.Bytes())
}
