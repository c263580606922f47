// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"encoding/json"
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/template"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/tree"
)

// Kind and APIVersion are those of the document.
const (
	Kind       = "PolicyBundle"
	APIVersion = "sim.windtunnel.dev/v1alpha1"
)

// A Bundle is a document. A component that it lacks is left to the scenario.
type Bundle struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   Metadata `json:"metadata,omitzero"`
	// Generation, Parent and Mutations say where the bundle comes from. Nothing follows
	// from them.
	Generation int64    `json:"generation,omitempty"`
	Parent     string   `json:"parent,omitempty"`
	Mutations  []string `json:"mutations,omitempty"`

	// Limits bound the code of the components, each simulation as a whole.
	Limits *Limits `json:"limits,omitempty"`

	Admission *Component `json:"admission,omitempty"`
	Priority  *Component `json:"priority,omitempty"`
	Routing   *Component `json:"routing,omitempty"`
	Scheduler *Component `json:"scheduler,omitempty"`
	Autoscale *Component `json:"autoscale,omitempty"`
}

// Metadata names the bundle.
type Metadata struct {
	Name   string            `json:"name,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
}

// A Component is a policy: exactly one of its forms is there.
type Component struct {
	BuiltIn       *BuiltIn       `json:"builtIn,omitempty"`
	Parameterized *Parameterized `json:"parameterized,omitempty"`
	DecisionTree  *DecisionTree  `json:"decisionTree,omitempty"`
	Starlark      *Starlark      `json:"starlark,omitempty"`
	WASM          *WASM          `json:"wasm,omitempty"`
	// Signals are what a program of the routing sees of each endpoint in addition to its scrape. A
	// template has its own: [Component.AllSignals].
	Signals []Signal `json:"signals,omitempty"`
	limits  *Limits  // of the bundle
}

// BuiltIn is a policy of Windtunnel by name.
type BuiltIn struct {
	Policy     string          `json:"policy"`
	Parameters map[string]Text `json:"parameters,omitempty"`
	// Scorers and Weights are those of the routing policy weighted. Weights is asGiven or
	// normalized.
	Scorers []Scorer `json:"scorers,omitempty"`
	Weights string   `json:"weights,omitempty"`
	// Victim is that of a scheduler.
	Victim string `json:"victim,omitempty"`
}

// Scorer is a term of the policy weighted.
type Scorer struct {
	Name       string          `json:"name"`
	Weight     float64         `json:"weight"`
	Parameters map[string]Text `json:"parameters,omitempty"`
}

// Parameterized is a template with numbers.
type Parameterized struct {
	// Template is the name of one of the package template.
	Template string `json:"template"`
	// Version is that of the template; empty is the one there is.
	Version string `json:"version,omitempty"`
	// Parameters are numbers in place of the template's defaults.
	Parameters map[string]float64 `json:"parameters,omitempty"`
}

// DecisionTree is a program without code.
type DecisionTree struct {
	Root *tree.Node `json:"root"`
}

// Starlark is a program in Starlark. It reads its parameters by name.
type Starlark struct {
	// Version is that of the language; empty is the one there is.
	Version    string             `json:"version,omitempty"`
	Source     string             `json:"source"`
	Parameters map[string]float64 `json:"parameters,omitempty"`
}

// WASM is a program as a WebAssembly module. It is given its parameters by name.
type WASM struct {
	// Version is that of what runs modules; empty is the one there is.
	Version string `json:"version,omitempty"`
	Module  Base64 `json:"module,omitempty"`
	// ModuleFrom is the name of a module next to the document. Once the document is read, the
	// module is in it.
	ModuleFrom string             `json:"moduleFrom,omitempty"`
	Parameters map[string]float64 `json:"parameters,omitempty"`
}

// Base64 is bytes in base64, which a document may write in several lines.
type Base64 string

// UnmarshalJSON reads a text without its white space.
func (b *Base64) UnmarshalJSON(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	*b = Base64(strings.Join(strings.Fields(text), ""))
	return nil
}

// Signal is what a program sees of each endpoint: a scorer's score or a count.
type Signal struct {
	Name string `json:"name"`
	// Field is the name that the program reads it by; empty is Name with _ for -.
	Field      string          `json:"field,omitempty"`
	Parameters map[string]Text `json:"parameters,omitempty"`
}

// UnmarshalJSON reads a signal, or the name of one without parameters.
func (s *Signal) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, &s.Name)
	}
	type plain Signal
	return json.Unmarshal(raw, (*plain)(s))
}

// FieldName is the name that a program reads the signal by.
func (s *Signal) FieldName() string {
	if s.Field != "" {
		return s.Field
	}
	return strings.ReplaceAll(s.Name, "-", "_")
}

// Text is a parameter, which a document may write as a number or a truth value.
type Text string

// UnmarshalJSON reads a text, a number or a truth value.
func (t *Text) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, (*string)(t))
	}
	*t = Text(raw)
	return nil
}

// Texts are parameters as policies read them.
func Texts(in map[string]Text) map[string]string {
	all := map[string]string{}
	for name, value := range in {
		all[name] = string(value)
	}
	return all
}

// Components are those that there are, by name.
func (b *Bundle) Components() map[sandbox.Component]*Component {
	all := map[sandbox.Component]*Component{}
	for name, c := range map[sandbox.Component]*Component{
		sandbox.Admission: b.Admission, sandbox.Priority: b.Priority, sandbox.Routing: b.Routing,
		sandbox.Scheduler: b.Scheduler, sandbox.Autoscale: b.Autoscale,
	} {
		if c != nil {
			all[name] = c
		}
	}
	return all
}

// Foreign reports whether some component is code, which may do what its author did not
// mean or did.
func (b *Bundle) Foreign() bool {
	for _, c := range b.Components() {
		if c.Starlark != nil || c.WASM != nil {
			return true
		}
	}
	return false
}

// AllSignals are the signals of a program of the routing.
func (c *Component) AllSignals() []Signal {
	if c.Parameterized == nil {
		return c.Signals
	}
	var all []Signal
	for _, name := range template.Find(c.Parameterized.Template).Signals {
		all = append(all, Signal{Name: name})
	}
	return all
}

// The ways of the policy weighted to use its weights.
const (
	AsGiven    = "asGiven"
	Normalized = "normalized"
)

// Program reports whether the component is a program.
func (c *Component) Program() bool { return c != nil && c.BuiltIn == nil }
