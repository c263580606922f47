// SPDX-License-Identifier: Apache-2.0

package version

import "fmt"

// announced are the open pull requests of llm-d-router that add types, parameters and values which no
// release has, by the name of what they add, as of November 2026.
var announced = map[string]int{
	"lmetric-scorer":                2351,
	"lora-load-state-scorer":        2792,
	"prefillCalibrationFile":        2938,
	"prefillCalibrationFingerprint": 2938,
	"prefillCalibrationRequired":    2938,
	"thunder-agent":                 2964,
}

// Announced says which open pull request adds a name that no release has. ok is false for other names.
func Announced(name string) (text string, ok bool) {
	pull, ok := announced[name]
	if !ok {
		return "", false
	}
	return fmt.Sprintf("%q is %s: no release has it, only the open pull request llm-d-router #%d", name, NewerThanKnown, pull), true
}
