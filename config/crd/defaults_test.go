// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// saysDefault finds comments that state a default in words. A default that depends on
// other fields is "derived", and a feature that is off is described by "without".
var saysDefault = regexp.MustCompile(`(?i)\bby default\b|\bdefaults? (to|is|are)\b|\babsent means\b|\b(when|if|where) (it is )?(unset|absent)\b|\b(is|are) not set,? (it|they|there|nobody|nothing)\b|\bwhere nothing is set\b|\bunless you say\b`)

const schemaDefault = "+kubebuilder:default="

// keyedDefaults lists the fields whose constant default is in Go and in the comment,
// each with the reason. The scenario with its defaults is part of the key of a
// simulation: a default in the schema would change the key of every existing scenario
// that leaves the field out, and the operator would not reuse its results although
// the engine version is the same.
var keyedDefaults = map[string]string{
	"KVCache.eviction": "Every scenario would change, because every pool has a KV cache.",
	"Router.replicas":  "Every scenario would change, because every scenario has a router.",
	"Router.signals":   "Every scenario would change, because every scenario has a router.",
	"Copies.arrivals":  "Every scenario with copies of a client would change, among them samples.",
	"Copies.adapters":  "Every scenario with copies of a client would change, also those without LoRA adapters.",

	"RooflineCoefficients.sequenceOverheadMicroseconds":      "Every scenario with roofline coefficients would change, among them calibrated ones.",
	"RooflineCoefficients.tokenOverheadMicroseconds":         "Every scenario with roofline coefficients would change, among them calibrated ones.",
	"RooflineCoefficients.expertMemoryEfficiency":            "Every scenario with roofline coefficients would change, also those of dense models.",
	"RooflineCoefficients.expertImbalance":                   "Every scenario with roofline coefficients would change, also those of dense models.",
	"RooflineCoefficients.dispatchLatencyMicroseconds":       "Every scenario with roofline coefficients would change, also those of dense models.",
	"RooflineCoefficients.dispatchTokenOverheadMicroseconds": "Every scenario with roofline coefficients would change, also those of dense models.",
}

// Constant defaults live in the schema: a comment that states one in words stands at a
// field that has it.
func TestDefaultsLiveInTheSchema(t *testing.T) {
	stated := map[string]bool{}
	for _, f := range apiFields(t) {
		inSchema := strings.Contains(f.doc, schemaDefault)
		if !saysDefault.MatchString(f.prose()) {
			continue
		}
		stated[f.name] = true
		_, keyed := keyedDefaults[f.name]
		switch {
		case keyed && inSchema:
			t.Errorf("%s has a default in the schema: drop it from keyedDefaults", f.name)
		case !keyed && !inSchema:
			t.Errorf("%s: the comment states a default that the schema lacks: add %s…, or say what the value is derived from:\n%s", f.name, schemaDefault, f.prose())
		}
	}
	for name, reason := range keyedDefaults {
		if !stated[name] {
			t.Errorf("keyedDefaults lists %s, but the comment of the field states no default", name)
		}
		if reason == "" {
			t.Errorf("keyedDefaults lists %s without a reason", name)
		}
	}
}

// The pattern finds the ways in which comments state defaults.
func TestSaysDefault(t *testing.T) {
	for comment, want := range map[string]bool{
		"Where it is not set it is 100.":                   true,
		"Where it is not set, it hears at once.":           true,
		"by default LRU, as in vLLM":                       true,
		"The default is 1.":                                true,
		"defaults to 4":                                    true,
		"Nothing, unless you say so.":                      true,
		"It is derived: four times the replications.":      false,
		"Without it, decode waits for the last block.":     false,
		"parameters are defaulted by the scorer.":          false,
		"It is derived from the model: 5.5 GiB for dense.": false,
	} {
		if got := saysDefault.MatchString(comment); got != want {
			t.Errorf("%q states a default: %v, want %v", comment, got, want)
		}
	}
}

// apiField is a field of the API's Go types.
type apiField struct {
	// name is the type's and the field's in JSON, such as Router.replicas.
	name string
	doc  string
}

// prose is the comment without markers, in one line.
func (f apiField) prose() string {
	var words []string
	for line := range strings.Lines(f.doc) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "+") {
			words = append(words, strings.Fields(line)...)
		}
	}
	return strings.Join(words, " ")
}

func apiFields(t *testing.T) []apiField {
	t.Helper()
	files, err := filepath.Glob("../../api/v1alpha1/*_types.go")
	if err != nil {
		t.Fatal(err)
	}
	var fields []apiField
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				fields = append(fields, fieldsOf(spec)...)
			}
			return true
		})
	}
	if len(fields) < 200 {
		t.Fatalf("found %d fields only", len(fields))
	}
	return fields
}

var jsonName = regexp.MustCompile(`json:"(\w+)`)

func fieldsOf(spec *ast.TypeSpec) []apiField {
	typ, ok := spec.Type.(*ast.StructType)
	if !ok {
		return nil
	}
	var fields []apiField
	for _, f := range typ.Fields.List {
		if f.Tag == nil || f.Doc == nil {
			continue
		}
		if name := jsonName.FindStringSubmatch(f.Tag.Value); name != nil {
			fields = append(fields, apiField{fmt.Sprintf("%s.%s", spec.Name.Name, name[1]), commentOf(f.Doc)})
		}
	}
	return fields
}

// commentOf keeps markers, which [ast.CommentGroup.Text] may drop.
func commentOf(group *ast.CommentGroup) string {
	var b strings.Builder
	for _, c := range group.List {
		b.WriteString(strings.TrimPrefix(c.Text, "//") + "\n")
	}
	return b.String()
}
