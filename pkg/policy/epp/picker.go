// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// pickerParameters are those of every picker. The endpoints after the first are
// fallbacks for a gateway that cannot reach it; simulated ones always can.
type pickerParameters struct {
	MaxNumOfEndpoints int `json:"maxNumOfEndpoints"`
}

func newPickerParameters() any { return &pickerParameters{MaxNumOfEndpoints: 1} }

func (p *pickerParameters) check(l *loader, path *field.Path) {
	if p.MaxNumOfEndpoints <= 0 {
		l.notice(path.Child("maxNumOfEndpoints"), "replaced-value", "%d is replaced by 1", p.MaxNumOfEndpoints)
		p.MaxNumOfEndpoints = 1
	}
}

// pickerStream is the source of a picker's draws, the same whatever other
// plugins there are.
func pickerStream(b *builder, p *plugin, profile string) *stats.Stream {
	return stats.NewStream(b.seed, "epp/"+profile+"/"+p.Name)
}

// tiedAtTop counts the scores that no other one exceeds.
func tiedAtTop(scores []float64) int {
	tied, highest := 0, math.Inf(-1)
	for _, score := range scores {
		switch {
		case score > highest:
			tied, highest = 1, score
		case score == highest:
			tied++
		}
	}
	return tied
}
