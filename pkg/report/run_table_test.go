// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/pkg/result"
)

func TestRunGolden(t *testing.T) {
	for _, name := range []string{"run", "run-one-seed", "run-tiers", "run-empty"} {
		t.Run(name, func(t *testing.T) {
			var docs []*result.Document
			if name != "run-empty" {
				recorded(t, name+".json", &docs)
			}
			var b bytes.Buffer
			if err := Run(docs).write(&b); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, "testdata/"+name+".txt", b.Bytes())
		})
	}
}

// A table of many tenants has those with the most requests.
func TestATableOfManyTenantsIsCut(t *testing.T) {
	var docs []*result.Document
	recorded(t, "run-one-seed.json", &docs)
	d := docs[0]
	first := d.Tenants[0]
	d.Tenants = nil
	for i := range 5000 {
		group := first
		group.Selector = result.Selector{Tenant: fmt.Sprintf("tenant-%04d", i)}
		group.Requests.Arrived = int64(10 + i%100)
		d.Tenants = append(d.Tenants, group)
	}
	text := Run(docs).Body
	if n := strings.Count(text, "\ntenant-"); n != mostGroups {
		t.Errorf("%d tenants in\n%s", n, text)
	}
	for _, want := range []string{"\ntenant-0099  109 ", "\ntenant-3999  109 ", "\n4960 more, each with fewer requests or as many: -o json has all.\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "tenant-0098") {
		t.Error("a tenant with fewer requests is there")
	}
}
