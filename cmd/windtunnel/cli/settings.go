// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"strings"

	"windtunnel.dev/windtunnel/pkg/experiment/compile"
)

// Settings are the values of --set.
type Settings []compile.Setting

// String is what a help text prints as the default: nothing.
func (Settings) String() string { return "" }

// Type is the flag's value in help texts.
func (Settings) Type() string { return "PATH=VALUE" }

// Set adds a setting. Names in brackets may hold any character but brackets.
func (s *Settings) Set(text string) error {
	depth := 0
	for i, r := range text {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case r == '=' && depth <= 0:
			*s = append(*s, compile.Setting{Path: strings.TrimPrefix(text[:i], ScenarioPrefix), Value: text[i+1:]})
			return nil
		}
	}
	return fmt.Errorf("must be PATH=VALUE, such as pools[llama].replicas=4")
}

// ScenarioPrefix begins the path of a field of the scenario in errors and in kubectl explain.
const ScenarioPrefix = "spec.scenario."
