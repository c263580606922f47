// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	"windtunnel.dev/windtunnel/pkg/experiment/compile"
)

// settings are the values of --set.
type settings []compile.Setting

// String is what a help text prints as the default: nothing.
func (settings) String() string { return "" }

// Type is the flag's value in help texts.
func (settings) Type() string { return "PATH=VALUE" }

// Set adds a setting. Names in brackets may hold any character but brackets.
func (s *settings) Set(text string) error {
	depth := 0
	for i, r := range text {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case r == '=' && depth <= 0:
			*s = append(*s, compile.Setting{Path: strings.TrimPrefix(text[:i], scenarioPrefix), Value: text[i+1:]})
			return nil
		}
	}
	return fmt.Errorf("must be PATH=VALUE, such as pools[llama].replicas=4")
}

// scenarioPrefix begins the path of a field of the scenario in errors and in kubectl explain.
const scenarioPrefix = "spec.scenario."
