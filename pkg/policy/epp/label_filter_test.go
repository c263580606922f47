// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

// role makes the labels of a pod.
func role(value string) map[string]string { return map[string]string{config.RoleLabel: value} }

func TestFiltersByLabel(t *testing.T) {
	labels := []map[string]string{
		nil, role("decode"), role("prefill"), role("encode"), role("prefill-decode"), role("encode-prefill"),
		role("encode-prefill-decode"), role("both"), role("other"), {"zone": "a", "rack": "1"},
	}
	cases := map[string]struct {
		plugin string
		want   []int
	}{
		"decode":                {"{type: decode-filter}", []int{0, 1, 4, 6, 7, 9}},
		"prefill":               {"{type: prefill-filter}", []int{2, 4, 5, 6, 7}},
		"encode":                {"{type: encode-filter}", []int{3, 5, 6}},
		"values":                {"{type: by-label, parameters: {label: llm-d.ai/role, validValues: [both, other]}}", []int{7, 8}},
		"values or no label":    {"{type: by-label, parameters: {label: zone, validValues: [b], allowsNoLabel: true}}", []int{0, 1, 2, 3, 4, 5, 6, 7, 8}},
		"an empty value is one": {"{type: by-label, parameters: {label: zone, validValues: ['']}}", []int{0, 1, 2, 3, 4, 5, 6, 7, 8}},
		"all":                   {"{type: label-selector-filter}", []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		"labels":                {"{type: label-selector-filter, parameters: {matchLabels: {zone: a, rack: '1'}}}", []int{9}},
		"labels, not all":       {"{type: by-label-selector, parameters: {matchLabels: {zone: a, rack: '2'}}}", []int{}},
		"in":                    {"{type: label-selector-filter, parameters: {matchExpressions: [{key: llm-d.ai/role, operator: In, values: [both, encode]}]}}", []int{3, 7}},
		"not in":                {"{type: label-selector-filter, parameters: {matchExpressions: [{key: zone, operator: NotIn, values: [a]}, {key: llm-d.ai/role, operator: NotIn, values: [decode, prefill]}]}}", []int{0, 3, 4, 5, 6, 7, 8}},
		"exists":                {"{type: label-selector-filter, parameters: {matchExpressions: [{key: zone, operator: Exists}]}}", []int{9}},
		"does not exist":        {"{type: label-selector-filter, parameters: {matchExpressions: [{key: llm-d.ai/role, operator: DoesNotExist}]}}", []int{0, 9}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := plant(t, "plugins: ["+tc.plugin+"]", labels...).Decide(idle(len(labels)), request(0, 1)).Candidates
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("candidates (-want +got):\n%s", diff)
			}
		})
	}
}

// Where all stay there is no filter, so that the scores of scrapes that have not
// changed are kept.
func TestFiltersThatKeepAllCostNothing(t *testing.T) {
	s := New(mustLoad(t, "plugins: [{type: decode-filter}, {type: context-length-aware, parameters: {enableFiltering: true}}]"), config.Cluster{Endpoints: 3}, 1)
	if n := len(s.Staged.Decode.Filters); n != 0 {
		t.Errorf("%d filters", n)
	}
}

func TestSchedulersOfLabelledEndpoints(t *testing.T) {
	c, errs := Load([]byte(header+"plugins: [{type: prefill-filter}]"), "", inline)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	s := New(c, config.Cluster{Endpoints: 2, Labels: []map[string]string{role("decode"), role("prefill")}}, 1)
	if e := route(t, s, idle(2), request(0, 1)); e != 1 {
		t.Errorf("chose %d", e)
	}
}

// Endpoints have no labels unless somebody says so; a filter that drops them
// all is refused then, unless it is in no profile.
func TestFiltersThatDropEndpointsWithoutLabelsAreRefused(t *testing.T) {
	for plugin, refused := range map[string]bool{
		"{type: decode-filter}":         false,
		"{type: label-selector-filter}": false,
		"{type: prefill-filter}":        true,
		"{type: encode-filter}":         true,
		"{type: label-selector-filter, parameters: {matchLabels: {a: b}}}":        true,
		"{type: by-label, parameters: {label: a, allowsNoLabel: true}}":           false,
		"{type: by-label, parameters: {label: a, validValues: [b]}}":              true,
		"{type: by-label, parameters: {label: a, validValues: [b]}}, {type: x}]#": false,
	} {
		body := "plugins: [" + plugin + "]"
		if strings.HasSuffix(plugin, "#") {
			body = "plugins: [" + strings.Replace(strings.TrimSuffix(plugin, "#"), "type: x", "type: random-picker", 1) + "\nschedulingProfiles: [{name: p}]"
		}
		errs := mustLoad(t, body).Check(&config.Cluster{Endpoints: 3}, inline)
		if (len(errs) > 0) != refused || refused && !strings.Contains(errs[0].Detail, "no endpoint has labels here: set the role or the labels of pools") {
			t.Errorf("%s: %v", plugin, errs)
		}
	}
}

func TestParametersOfFiltersByLabel(t *testing.T) {
	checkParameterFaults(t, "by-label", "{}",
		`label: Required value: must name a label`,
		`validValues: Required value: must not be empty unless allowsNoLabel is true`)
	checkParameterFaults(t, "label-selector-filter", "{matchLabels: {'a b': c, D/e: f, g: '-', h: [1]}}",
		`matchLabels[h]: Invalid value: must be a string`)
	checkParameterFaults(t, "label-selector-filter", "{matchLabels: {'a b': c, D/e: f, g: '-', ok.io/x: ''}}",
		`matchLabels[D/e]: Invalid value: "D/e": must be a label such as role or llm-d.ai/role`,
		`matchLabels[a b]: Invalid value: "a b": must be a label such as role or llm-d.ai/role`,
		`matchLabels[g]: Invalid value: "-": must be the value of a label: at most 63 letters, digits, '-', '_' and '.', the first and last a letter or digit`)
	checkParameterFaults(t, "by-label-selector", "{matchExpressions: [{key: a, operator: In}, {key: a, operator: Exists, values: [x]}, {key: a, operator: Gt, values: [' ']}], matchLabels: 3}",
		`matchLabels: Invalid value: 3: must be an object`)
	checkParameterFaults(t, "by-label-selector", "{matchExpressions: [{key: a, operator: In}, {key: a, operator: Exists, values: [x]}, {operator: Gt, values: [' ']}]}",
		`matchExpressions[0].values: Required value: must not be empty for the operators In and NotIn`,
		`matchExpressions[1].values: Forbidden: must be empty for the operators Exists and DoesNotExist`,
		`matchExpressions[2].key: Invalid value: "": must be a label such as role or llm-d.ai/role`,
		`matchExpressions[2].operator: Unsupported value: "Gt": supported values: "DoesNotExist", "Exists", "In", "NotIn"`,
		`matchExpressions[2].values[0]: Invalid value: " ": must be the value of a label: at most 63 letters, digits, '-', '_' and '.', the first and last a letter or digit`)
}
