// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/config/crd"
	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/pkg/latency"
)

const referencePage = "../../docs/reference.md"

// TestReferencePage keeps the documentation of fields equal to the definitions.
func TestReferencePage(t *testing.T) {
	want := reference(readDefinition(t, "simulationruns"), readDefinition(t, "policysweeps"))
	golden.Check(t, referencePage, want)
}

func readDefinition(t *testing.T, plural string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	text, err := crd.Bases.ReadFile("bases/sim.windtunnel.dev_" + plural + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	def := new(apiextensionsv1.CustomResourceDefinition)
	if err := yaml.UnmarshalStrict(text, def); err != nil {
		t.Fatal(err)
	}
	return def
}

type schema = apiextensionsv1.JSONSchemaProps

// A page is the reference while it is written.
type page struct {
	strings.Builder
	// table is what the rows being written belong to, for later references.
	table string
	// shown tells, for the fields of an object as JSON, where they stand.
	shown map[string]string
}

const referenceHead = `# The fields

This page lists every field of the kinds SimulationRun and PolicySweep, with its type, default
and bounds. [The kinds](api.md) explains them with examples. A test generates this page from the
CRDs in ` + "`config/crd/bases`" + `. The cluster and the local commands use this schema to default
and validate objects.

Required fields come first; what is rarely set comes last. "The defaults of its fields" means: if
you omit the object, each of its fields has its default. Any other field without a default is
absent if you omit it. A rule is a condition on an object as a whole.
`

func reference(run, sweep *apiextensionsv1.CustomResourceDefinition) string {
	p := &page{shown: map[string]string{}}
	p.WriteString(referenceHead)
	p.scenario(schemaOf(run).Properties["spec"].Properties["scenario"])
	p.kind(run, reflect.TypeFor[v1alpha1.SimulationRun]())
	p.kind(sweep, reflect.TypeFor[v1alpha1.PolicySweep]())
	p.catalogue()
	return p.String()
}

func schemaOf(def *apiextensionsv1.CustomResourceDefinition) *schema {
	return def.Spec.Versions[0].Schema.OpenAPIV3Schema
}

// scenario writes the part that the kinds share, a table a field.
func (p *page) scenario(s schema) {
	p.WriteString("\n## scenario\n\nBoth kinds have these fields in `spec.scenario`. Paths in the tables start below it.\n")
	p.rules(s)
	for _, f := range ordered(s, reflect.TypeFor[v1alpha1.Scenario]()) {
		p.table = "scenario"
		fmt.Fprintf(p, "\n### %s\n", f.name)
		p.head()
		p.row(f.name, f)
	}
}

func (p *page) kind(def *apiextensionsv1.CustomResourceDefinition, of reflect.Type) {
	root := schemaOf(def)
	spec, status := named(ordered(*root, of), "spec"), named(ordered(*root, of), "status")
	p.table = def.Spec.Names.Kind
	fmt.Fprintf(p, "\n## %s\n\n%s `apiVersion: %s/%s`, `kind: %s`; short name in kubectl: `%s`.\n\n### spec of %[5]s\n\nPaths in the tables start below `spec`.\n",
		p.table, root.Description, def.Spec.Group, def.Spec.Versions[0].Name, p.table, strings.Join(def.Spec.Names.ShortNames, "`, `"))
	p.rules(spec.schema)
	p.head()
	for _, f := range ordered(spec.schema, spec.of) {
		p.row(f.name, f)
	}
	fmt.Fprintf(p, "\n### status of %s\n\n| field | type | description |\n|---|---|---|\n", p.table)
	for _, f := range ordered(status.schema, status.of) {
		fmt.Fprintf(p, "| `%s` | %s | %s |\n", f.name, typeOf(f.schema), cell(phrase(meaning(f.name, f.schema.Description))))
	}
}

func (p *page) catalogue() {
	p.WriteString("\n## Models and accelerators\n\nThe table lists the built-in values of `pools[].model`. An alias names the same model. `windtunnel\ncatalogue` prints the data of each model; the field `catalogue` adds models of your own.\n\n| model | aliases |\n|---|---|\n")
	builtin := latency.Builtin()
	for _, name := range builtin.ModelNames() {
		m, _ := builtin.Model(name)
		aliases := ""
		if len(m.Aliases) > 0 {
			aliases = "`" + strings.Join(m.Aliases, "`, `") + "`"
		}
		fmt.Fprintf(p, "| `%s` | %s |\n", name, aliases)
	}
	fmt.Fprintf(p, "\nThe built-in values of `pools[].accelerator` are `%s`.\n", strings.Join(builtin.AcceleratorNames(), "`, `"))
	p.WriteString("\nFor the plugins and versions of a router's configuration, see [the EPP page](epp.md).\n")
}

func (p *page) head() {
	p.WriteString("\n| field | type | default | bounds | description |\n|---|---|---|---|---|\n")
}

// rules writes those of an object that has no row of its own.
func (p *page) rules(s schema) {
	for i, rule := range s.XValidations {
		if i == 0 {
			p.WriteString("\n")
		}
		fmt.Fprintf(p, "- Rule: %s.\n", rule.Message)
	}
}

// row writes a field and, below it, the fields of its object or of its list's.
func (p *page) row(path string, f field) {
	s := f.schema
	object, words := s, sentence(meaning(f.name, s.Description))
	if s.Items != nil && s.Items.Schema.Type == "object" {
		path, object = path+"[]", *s.Items.Schema
		words = sentences(words, oneLine(object.Description))
	}
	if object.Type == "object" {
		for _, rule := range object.XValidations {
			words = sentences(words, "Rule: "+rule.Message)
		}
	}
	expand := len(object.Properties) > 0
	switch {
	case path == "scenario":
		words, expand = sentences(words, "[Its fields](#scenario)"), false
	case isResources(object):
		expand = false
	case expand && isDescribedElsewhere(object, f.of):
		words, expand = sentences(words, "Fields as in `"+path+"` of [SimulationRun](#simulationrun)"), false
	case expand:
		fields := fingerprint(object)
		if at, ok := p.shown[fields]; ok {
			words, expand = sentences(words, "Fields as in "+at), false
		} else {
			p.shown[fields] = fmt.Sprintf("`%s` of [%s](#%s)", path, p.table, strings.ToLower(p.table))
		}
	}
	fmt.Fprintf(p, "| `%s` | %s | %s | %s | %s |\n", path, typeOf(s), defaultOf(s, f.required), cell(boundsOf(s)), cell(phrase(words)))
	if !expand {
		return
	}
	for _, child := range ordered(object, f.of) {
		if !describedElsewhere(child.schema) {
			p.row(path+"."+child.name, child)
		}
	}
}

// describedElsewhere is whether a schema is that of a field with a row of its own elsewhere, to which
// it refers.
func describedElsewhere(s schema) bool { return strings.HasPrefix(s.Description, "kubectl explain ") }

// isDescribedElsewhere is whether all fields of an object are.
func isDescribedElsewhere(s schema, of reflect.Type) bool {
	return !slices.ContainsFunc(ordered(s, of), func(f field) bool { return !describedElsewhere(f.schema) })
}

// isResources is whether an object is a container's resources, which Kubernetes
// documents.
func isResources(s schema) bool {
	_, claims := s.Properties["claims"]
	_, limits := s.Properties["limits"]
	return claims && limits
}

// fingerprint is the same for objects of the same fields, described or not.
func fingerprint(s schema) string {
	text, err := json.Marshal([]any{s.Properties, s.Required})
	if err != nil {
		panic(err)
	}
	return description.ReplaceAllString(string(text), "")
}

// description is one in a schema as JSON.
var description = regexp.MustCompile(`"description":"([^"\\]|\\.)*",?`)

// field is a field of an object: its schema, and its type or that of its entries.
type field struct {
	name     string
	schema   schema
	required bool
	of       reflect.Type
}

// ordered returns the required fields of an object and then the others, each in the order of its type.
func ordered(s schema, of reflect.Type) []field {
	var required, others []field
	for _, f := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		child, found := s.Properties[name]
		switch {
		case !found:
		case slices.Contains(s.Required, name):
			required = append(required, field{name, child, true, element(f.Type)})
		default:
			others = append(others, field{name, child, false, element(f.Type)})
		}
	}
	return append(required, others...)
}

// element is the type behind pointers and lists.
func element(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t
}

func named(fields []field, name string) field {
	return fields[slices.IndexFunc(fields, func(f field) bool { return f.name == name })]
}

func typeOf(s schema) string {
	switch {
	case isResources(s):
		return "ResourceRequirements of a container"
	case len(s.Enum) > 0:
		var values []string
		for _, raw := range s.Enum {
			values = append(values, "`"+scalar(raw.Raw)+"`")
		}
		return strings.Join(values, ", ")
	case s.Type == "array":
		return "list of " + typeOf(*s.Items.Schema) + "s"
	case s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		return "map of " + typeOf(*s.AdditionalProperties.Schema) + "s"
	}
	return s.Type
}

func defaultOf(s schema, required bool) string {
	switch {
	case required:
		return "required"
	case s.Default == nil:
		return ""
	case s.Type == "object" && string(s.Default.Raw) == "{}":
		return "the defaults of its fields"
	}
	text := scalar(s.Default.Raw)
	if _, err := strconv.ParseFloat(text, 64); err == nil && s.Type == "string" {
		// As it must be written.
		text = strconv.Quote(text)
	}
	return "`" + text + "`"
}

// scalar returns a JSON value without a string's quotes.
func scalar(raw []byte) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// longestShown is the length from which on a bound of a string is of no interest.
const longestShown = 64

// patterns says in words what strings may consist of.
var patterns = map[string]string{
	`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`:            "a to z, 0 to 9 and -; begins and ends with a letter or digit",
	`^[A-Za-z]([-_A-Za-z0-9]*[A-Za-z0-9])?$`:     "letters, digits, - and _; begins with a letter, ends with a letter or digit",
	`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`: "letters, digits, - _ and .; begins and ends with a letter or digit",

	`^([A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?)?$`: "letters, digits, - _ and .; begins and ends with a letter or digit; may be empty",
}

func boundsOf(s schema) string {
	var all []string
	if text := numbers(s); text != "" {
		all = append(all, text)
	}
	if s.Type == "array" {
		all = append(all, entries(s)...)
		if item := boundsOf(*s.Items.Schema); item != "" {
			all = append(all, "each "+item)
		}
	}
	if s.Type == "object" {
		return mapBounds(s)
	}
	for _, rule := range s.XValidations {
		all = append(all, strings.TrimPrefix(rule.Message, "must be "))
	}
	if s.MaxLength != nil && *s.MaxLength < longestShown && len(s.XValidations) == 0 {
		all = append(all, fmt.Sprintf("at most %d characters", *s.MaxLength))
	}
	if s.Pattern != "" {
		words, ok := patterns[s.Pattern]
		if !ok {
			words = "matches `" + s.Pattern + "`"
		}
		all = append(all, words)
	}
	return strings.Join(all, "; ")
}

// mapBounds says how many entries a map may have, and what each may be; nothing
// of an object with fields.
func mapBounds(s schema) string {
	if s.MaxProperties == nil {
		return ""
	}
	return fmt.Sprintf("at most %d entries; each %s", *s.MaxProperties, boundsOf(*s.AdditionalProperties.Schema))
}

func numbers(s schema) string {
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf("%.0f to %.0f", *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		return fmt.Sprintf("at least %.0f", *s.Minimum)
	case s.Maximum != nil:
		return fmt.Sprintf("at most %.0f", *s.Maximum)
	}
	return ""
}

// entries says how many a list may have, and what tells them apart.
func entries(s schema) []string {
	var all []string
	switch {
	case s.MinItems != nil && s.MaxItems != nil:
		all = append(all, fmt.Sprintf("%d to %d entries", *s.MinItems, *s.MaxItems))
	case s.MaxItems != nil:
		all = append(all, fmt.Sprintf("at most %d entries", *s.MaxItems))
	}
	if len(s.XListMapKeys) > 0 {
		all = append(all, "each with a unique "+strings.Join(s.XListMapKeys, " and "))
	}
	if s.XListType != nil && *s.XListType == "set" {
		all = append(all, "no duplicates")
	}
	return all
}

// meaning cuts from a description the name with which it begins.
func meaning(name, description string) string {
	text := oneLine(description)
	rest, ok := strings.CutPrefix(text, name+" ")
	if !ok {
		return text
	}
	for _, verb := range []string{"is ", "are "} {
		rest = strings.TrimPrefix(rest, verb)
	}
	return rest
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.TrimSuffix(text, ".") + "."
}

func sentences(first, second string) string {
	return strings.TrimSpace(sentence(first) + " " + sentence(second))
}

// phrase takes the full stop from what is a single sentence.
func phrase(text string) string {
	if strings.Contains(text, ". ") {
		return text
	}
	return strings.TrimSuffix(text, ".")
}

// cell escapes what would end a table's cell or begin a tag.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", `&lt;`).Replace(text)
}
