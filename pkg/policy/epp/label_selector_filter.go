// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const (
	labelSelectorFilterType = "label-selector-filter"
	byLabelSelectorType     = "by-label-selector"
)

// The filter keeps endpoints that a Kubernetes label selector matches; an empty
// selector matches all.
var (
	labelSelectorFilter = labelSelector(labelSelectorFilterType, "").Registered(version.GIE("scheduler-520af478.."))
	byLabelSelector     = labelSelector(byLabelSelectorType, labelSelectorFilterType).Registered(version.LLMD("scheduler-v0.2..router-main"))
)

func labelSelector(name, successor string) scheduler.Factory {
	return scheduler.Factory{
		PluginType: config.PluginType{
			Name:       name,
			Roles:      config.FilterRole,
			Successor:  successor,
			Parameters: func() any { return &selectorParameters{} },
			Treatment:  treatLabels,
			Obstacles:  dropsUnlabelled,
			Passes: func(p *config.Plugin, labels map[string]string) bool {
				return p.Parameters.(*selectorParameters).matches(labels)
			},
		},
		NewFilter: newLabelFilter,
	}
}

type selectorParameters struct {
	MatchLabels      map[string]string  `json:"matchLabels,omitempty"`
	MatchExpressions []labelRequirement `json:"matchExpressions,omitempty"`
}

type labelRequirement struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values,omitempty"`
}

func (p *selectorParameters) Check(l *config.Loader, path *field.Path) {
	for _, key := range sorted(p.MatchLabels) {
		at := path.Child("matchLabels").Key(key)
		checkLabelKey(l, key, at)
		checkLabelValue(l, p.MatchLabels[key], at)
	}
	for i := range p.MatchExpressions {
		p.MatchExpressions[i].Check(l, path.Child("matchExpressions").Index(i))
	}
}

func (r *labelRequirement) Check(l *config.Loader, path *field.Path) {
	checkLabelKey(l, r.Key, path.Child("key"))
	switch r.Operator {
	case "In", "NotIn":
		if len(r.Values) == 0 {
			l.Add(field.Required(path.Child("values"), "must not be empty for the operators In and NotIn"))
		}
	case "Exists", "DoesNotExist":
		if len(r.Values) > 0 {
			l.Add(field.Forbidden(path.Child("values"), "must be empty for the operators Exists and DoesNotExist"))
		}
	default:
		l.Add(field.NotSupported(path.Child("operator"), r.Operator, []string{"DoesNotExist", "Exists", "In", "NotIn"}))
	}
	for i, value := range r.Values {
		checkLabelValue(l, value, path.Child("values").Index(i))
	}
}

// The syntax of labels is Kubernetes': a name may have a DNS subdomain before
// it, a value may be empty.
var (
	labelName   = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)
	labelPrefix = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
)

const longestLabelPrefix = 253

func checkLabelKey(l *config.Loader, key string, at *field.Path) {
	name := key
	if prefix, rest, prefixed := strings.Cut(key, "/"); prefixed {
		name = rest
		if len(prefix) > longestLabelPrefix || !labelPrefix.MatchString(prefix) {
			l.Add(field.Invalid(at, key, "must be a label such as role or llm-d.ai/role"))
			return
		}
	}
	if !labelName.MatchString(name) {
		l.Add(field.Invalid(at, key, "must be a label such as role or llm-d.ai/role"))
	}
}

func checkLabelValue(l *config.Loader, value string, at *field.Path) {
	if value != "" && !labelName.MatchString(value) {
		l.Add(field.Invalid(at, value, "must be the value of a label: at most 63 letters, digits, '-', '_' and '.', the first and last a letter or digit"))
	}
}

func (p *selectorParameters) matches(labels map[string]string) bool {
	for _, key := range sorted(p.MatchLabels) {
		if value, labelled := labels[key]; !labelled || value != p.MatchLabels[key] {
			return false
		}
	}
	for i := range p.MatchExpressions {
		if !p.MatchExpressions[i].matches(labels) {
			return false
		}
	}
	return true
}

func (r *labelRequirement) matches(labels map[string]string) bool {
	value, labelled := labels[r.Key]
	switch r.Operator {
	case "In":
		return labelled && slices.Contains(r.Values, value)
	case "NotIn":
		return !labelled || !slices.Contains(r.Values, value)
	case "Exists":
		return labelled
	default:
		return !labelled
	}
}

func sorted(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
