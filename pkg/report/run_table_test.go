// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"testing"

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
			if err := WriteRun(&b, docs); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".txt", b.Bytes())
		})
	}
}
