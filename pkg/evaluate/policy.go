// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
)

// A Language is how a policy is written.
type Language string

// The languages.
const (
	// Bundle is a PolicyBundle in YAML or JSON.
	Bundle Language = "bundle"
	// Starlark is the source of one program.
	Starlark Language = "starlark"
	// WASM is one WebAssembly module.
	WASM Language = "wasm"
)

// Languages are all of them.
var Languages = []Language{Bundle, Starlark, WASM}

// LanguageOf returns the language of a file by the end of its name.
func LanguageOf(file string) (Language, error) {
	switch filepath.Ext(file) {
	case ".star":
		return Starlark, nil
	case ".wasm":
		return WASM, nil
	case ".yaml", ".yml", ".json":
		return Bundle, nil
	default:
		return "", fmt.Errorf("%s: the name of a policy must end with .star, .wasm, .yaml, .yml or .json", file)
	}
}

// Components are those that a program can be of.
var Components = []sandbox.Component{sandbox.Admission, sandbox.Priority, sandbox.Routing, sandbox.Scheduler, sandbox.Autoscale}

// DefaultSignals are what a program of the routing sees of each endpoint in addition to its scrape,
// unless the caller says otherwise.
var DefaultSignals = []string{"prefix-affinity"}

// Program says what a policy of one program is for. A bundle says so itself.
type Program struct {
	// Component is what the program decides; empty is the routing.
	Component sandbox.Component
	// Signals are those of the routing; nil is [DefaultSignals].
	Signals []string
}

// A Policy is a bundle that may have a fault. It is immutable.
type Policy struct {
	// ID is the digest of the canonical bundle, or of the text where that is no bundle.
	ID     string
	bundle *bundle.Bundle
	size   int // of the canonical bundle
	fault  *Fault
}

// ReadPolicy reads a policy, whose code has at most some limits. A fault of the policy is part
// of it; an error is one of the caller.
func ReadPolicy(raw []byte, language Language, of Program, most bundle.Limits) (*Policy, error) {
	document := raw
	switch {
	case language == Bundle && (of.Component != "" || of.Signals != nil):
		return nil, fmt.Errorf("a bundle states its components and signals: a component and signals go with a program only")
	case language == Bundle:
	case language == Starlark || language == WASM:
		if err := of.complete(); err != nil {
			return nil, err
		}
		document = of.document(raw, language)
	default:
		return nil, fmt.Errorf("language %q: must be one of %s", language, join(Languages))
	}
	b, errs := bundle.Read(document, field.NewPath("bundle"))
	if len(errs) == 0 {
		errs = b.Bound(most, field.NewPath("bundle"))
	}
	if len(errs) > 0 {
		return &Policy{ID: digest(string(raw)), fault: documentFault(errs)}, nil
	}
	canonical := b.Canonical()
	return &Policy{ID: digest(canonical), bundle: b, size: len(canonical)}, nil
}

// complete fills in defaults.
func (p *Program) complete() error {
	if p.Component == "" {
		p.Component = sandbox.Routing
	}
	switch {
	case !slices.Contains(Components, p.Component):
		return fmt.Errorf("component %q: must be one of %s", p.Component, join(Components))
	case p.Component != sandbox.Routing && p.Signals != nil:
		return fmt.Errorf("signals: only a program of the routing has signals, and this one is of the %s", p.Component)
	case p.Component == sandbox.Routing && p.Signals == nil:
		p.Signals = DefaultSignals
	}
	return nil
}

// document is the bundle of a program.
func (p *Program) document(raw []byte, language Language) []byte {
	c := &bundle.Component{}
	if language == WASM {
		c.WASM = &bundle.WASM{Module: bundle.Base64(base64.StdEncoding.EncodeToString(raw))}
	} else {
		c.Starlark = &bundle.Starlark{Source: string(raw)}
	}
	for _, name := range p.Signals {
		c.Signals = append(c.Signals, bundle.Signal{Name: name})
	}
	b := &bundle.Bundle{APIVersion: bundle.APIVersion, Kind: bundle.Kind}
	*place(b, p.Component) = c
	return mustJSON(b)
}

// place is where a bundle has a component.
func place(b *bundle.Bundle, name sandbox.Component) **bundle.Component {
	switch name {
	case sandbox.Admission:
		return &b.Admission
	case sandbox.Priority:
		return &b.Priority
	case sandbox.Routing:
		return &b.Routing
	case sandbox.Scheduler:
		return &b.Scheduler
	case sandbox.Autoscale:
		return &b.Autoscale
	default:
		panic(fmt.Sprintf("evaluate: a bundle has no component %q", name))
	}
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func mustJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("evaluate: marshal %T: %v", v, err))
	}
	return raw
}

func join[T ~string](names []T) string {
	var texts []string
	for _, name := range names {
		texts = append(texts, string(name))
	}
	return strings.Join(texts, ", ")
}
