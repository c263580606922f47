// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Selector chooses requests by their labels; an empty label chooses all.
// Pool is the one that served the request, Model the base model that it asked for, where
// a scenario serves several. Workload is the one, of the workloads of a sweep, under which
// the request was simulated. Selectors are comparable.
type Selector struct {
	Class    string `json:"class,omitempty"`
	Tenant   string `json:"tenant,omitempty"`
	Pool     string `json:"pool,omitempty"`
	Model    string `json:"model,omitempty"`
	Workload string `json:"workload,omitempty"`
}

// Labels, in the order in which they are written.
const (
	labelClass    = "class"
	labelTenant   = "tenant"
	labelPool     = "pool"
	labelModel    = "model"
	labelWorkload = "workload"
)

var allLabels = []string{labelClass, labelTenant, labelPool, labelModel, labelWorkload}

// label returns the place of a label's value, or nil.
func (s *Selector) label(name string) *string {
	switch name {
	case labelClass:
		return &s.Class
	case labelTenant:
		return &s.Tenant
	case labelPool:
		return &s.Pool
	case labelModel:
		return &s.Model
	case labelWorkload:
		return &s.Workload
	default:
		return nil
	}
}

// labels is the number of labels that are set.
func (s Selector) labels() int {
	n := 0
	for _, name := range allLabels {
		if *s.label(name) != "" {
			n++
		}
	}
	return n
}

func (s Selector) chooses(class, tenant, pool, model string) bool {
	return (s.Class == "" || s.Class == class) &&
		(s.Tenant == "" || s.Tenant == tenant) &&
		(s.Pool == "" || s.Pool == pool) &&
		(s.Model == "" || s.Model == model)
}

// suffix returns the selector as metrics write it, such as {class=a,pool=b},
// or nothing where it chooses all.
func (s Selector) suffix() string {
	var terms []string
	for _, name := range allLabels {
		if value := *s.label(name); value != "" {
			terms = append(terms, name+"="+value)
		}
	}
	if len(terms) == 0 {
		return ""
	}
	return "{" + strings.Join(terms, ",") + "}"
}

// labelValue is what the API allows as the name of a class, tenant or pool, and modelValue
// as that of a model of a router of several models.
var (
	labelValue = regexp.MustCompile(`^[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$`)
	modelValue = regexp.MustCompile(`^[A-Za-z0-9]([-_./:A-Za-z0-9]{0,126}[A-Za-z0-9])?$`)
)

// valuesOf are the values that a label may have.
func valuesOf(label string) *regexp.Regexp {
	if label == labelModel {
		return modelValue
	}
	return labelValue
}

// parseSelector reads what stands between the braces, and says everything
// that is wrong with it.
func parseSelector(text string) (Selector, []string) {
	var s Selector
	var faults []string
	for term := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(term, "=")
		place := s.label(name)
		switch {
		case place == nil:
			faults = append(faults, fmt.Sprintf("there is no label %q; there are %s", name, list(allLabels)))
		case *place != "":
			faults = append(faults, fmt.Sprintf("label %s is given twice", name))
		case !valuesOf(name).MatchString(value):
			faults = append(faults, fmt.Sprintf("label %s must be the name of a %s, as in %s=NAME, not %q", name, name, name, value))
		default:
			*place = value
		}
	}
	return s, faults
}

// misplaced returns the labels of s that are not among the allowed ones. Every metric
// may be of one workload.
func (s Selector) misplaced(allowed []string) []string {
	var names []string
	for _, name := range allLabels {
		if *s.label(name) != "" && name != labelWorkload && !slices.Contains(allowed, name) {
			names = append(names, name)
		}
	}
	return names
}

// list joins names for a sentence.
func list(names []string) string { return strings.Join(names, ", ") }

// Dimension is the first label that is set, such as class; empty where none is.
func (s Selector) Dimension() string {
	for _, name := range allLabels {
		if *s.label(name) != "" {
			return name
		}
	}
	return ""
}
