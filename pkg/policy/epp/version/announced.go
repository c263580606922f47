// SPDX-License-Identifier: Apache-2.0

package version

import "fmt"

// An announcement is a change of llm-d-router that no version here has.
type announcement struct {
	pull   int
	merged bool
}

// announced are the names of types, parameters and values by their pull requests, as of November 2026.
var announced = map[string]announcement{
	"latency-observation-scorer-hub": {2371, true},
	"latency-observer-producer-hub":  {2371, true},
	"lmetric-scorer":                 {2351, false},
	"lora-load-state-scorer":         {2792, false},
	"prefillCalibrationFile":         {2938, false},
	"prefillCalibrationFingerprint":  {2938, false},
	"prefillCalibrationRequired":     {2938, false},
	"thunder-agent":                  {2964, false},
	"turn-priority":                  {2116, true},
}

// Announced says where a name stands that no version here has: in a pull request that is merged, of which
// the fork that router-v0.11 is read from has nothing, or in an open one, which no release has. ok is false for other names.
func Announced(name string) (text string, ok bool) {
	a, ok := announced[name]
	switch {
	case !ok:
		return "", false
	case a.merged:
		return fmt.Sprintf("%q is %s: llm-d-router #%d is merged, and the fork that router-v0.11 is read from lacks it", name, NewerThanKnown, a.pull), true
	default:
		return fmt.Sprintf("%q is %s: no release has it, only the open pull request llm-d-router #%d", name, NewerThanKnown, a.pull), true
	}
}
