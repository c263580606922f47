// SPDX-License-Identifier: Apache-2.0

package store

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
)

func TestDocumentsAreReadBack(t *testing.T) {
	var simulations []experiment.Simulation
	var want []*result.Document
	for seed := range int64(3) {
		d := &result.Document{SchemaVersion: result.SchemaVersion, Seed: seed, EngineVersion: "6"}
		want = append(want, d)
		simulations = append(simulations, experiment.Simulation{Row: result.Row{Key: "k", Share: 1, Seed: seed}, Document: d})
	}
	chunks, err := Chunks(simulations)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadDocuments(append(chunks, Chunk{}))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v, documents (-want +got):\n%s", err, diff)
	}
}

func TestDocumentsThatCannotBeReadAreErrors(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"cut off":         {`{"schemaVersion": "windtunnel.dev/res`, "unexpected EOF"},
		"another version": {`{"schemaVersion": "windtunnel.dev/result/v9"}`, `this binary reads "windtunnel.dev/result/v1"`},
		"no document":     {"7", "cannot unmarshal"},
	} {
		_, err := ReadDocuments([]Chunk{{Data: map[string]string{DocumentsKey: test.text}}})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		}
	}
}
