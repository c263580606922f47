// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// pickerParameters are those of every picker. The endpoints after the first are
// fallbacks for a gateway that cannot reach it; simulated ones always can.
type pickerParameters struct {
	MaxNumOfEndpoints int `json:"maxNumOfEndpoints"`
}

func newPickerParameters() any { return &pickerParameters{MaxNumOfEndpoints: 1} }

func (p *pickerParameters) Check(l *config.Loader, path *field.Path) {
	if p.MaxNumOfEndpoints <= 0 {
		l.Notice(path.Child("maxNumOfEndpoints"), "replaced-value", "%d is replaced by 1", p.MaxNumOfEndpoints)
		p.MaxNumOfEndpoints = 1
	}
}

// pickerStream is the source of a picker's draws, the same whatever other
// plugins there are.
func pickerStream(b *scheduler.Builder, p *config.Plugin, profile string) *stats.Stream {
	return stats.NewStream(b.Seed, "epp/"+profile+"/"+p.Name)
}
