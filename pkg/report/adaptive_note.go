// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/result"
)

// adaptiveNote says how the weights of a router changed under a seed, and which ones are
// last.
func adaptiveNote(a *result.Adaptation, seed int64) string {
	of := ""
	if a.Model != "" {
		of = " of the router of " + a.Model
	}
	silent := 0
	for i := range a.Epochs {
		if a.Epochs[i].NoSignal {
			silent++
		}
	}
	note := fmt.Sprintf("The law %s drives the weights%s. Under seed %d there were %s", a.Law, of, seed, figure.Plural(len(a.Epochs)+a.LeftOut, "epoch"))
	if silent > 0 {
		note += fmt.Sprintf(", and %d of %d recorded gave no signal", silent, len(a.Epochs))
	}
	var last []string
	for _, w := range a.Last {
		name := w.Scorer
		if w.Profile != "" {
			name = w.Profile + "/" + name
		}
		last = append(last, fmt.Sprintf("%s %.4g", name, w.Weight))
	}
	return note + "; the last weights are " + strings.Join(last, ", ") + "."
}
