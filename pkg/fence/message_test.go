// SPDX-License-Identifier: Apache-2.0

package fence

import "testing"

// FuzzAnswer: a child may say anything. What is no answer is an error.
func FuzzAnswer(f *testing.F) {
	for _, said := range []string{
		`{}`, `{"Failed": {"Text": "no", "Fault": {"Kind": "memory"}, "Invalid": true}}`, `{"Row": {"key": "k", "point": 0, "seed": 1, "metrics": {}}}`,
		`{"Row": null, "Document": {}, "Decisions": "AA=="}`, `{"Row": {}} {}`, `{"Stability": [{}]}`, "null", "[", "",
	} {
		f.Add([]byte(said))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		a := &answer{}
		if err := decode(&head{text: said, room: len(said)}, a); err != nil {
			return
		}
		if s, err := a.inspected(); err == nil && s.Told == nil && s.Simulation.Row.Key == "" && !s.Simulation.Row.Failed() {
			t.Errorf("%q is taken for a result", said)
		}
	})
}
