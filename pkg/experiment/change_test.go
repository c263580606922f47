// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/result"
)

func treeOf(t *testing.T, text string) Tree {
	t.Helper()
	tree, err := parseTree([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestDifferencesOfScenarios(t *testing.T) {
	const base = `{"pools":[{"name":"a","replicas":2},{"name":"b","replicas":3}],"router":{"x":1},"list":[1,2]}`
	for name, tc := range map[string]struct {
		after string
		want  []string
	}{
		"none":               {base, nil},
		"a value":            {strings.Replace(base, `"replicas":2`, `"replicas":4`, 1), []string{"pools[a].replicas from 2 to 4"}},
		"a new entry":        {strings.Replace(base, `"pools":[`, `"pools":[{"name":"c"},`, 1), []string{"pools[c], which is new"}},
		"an entry less":      {strings.Replace(base, `,{"name":"b","replicas":3}`, "", 1), []string{"pools[b], which is left out"}},
		"another order":      {`{"pools":[{"name":"b","replicas":3},{"name":"a","replicas":2}],"router":{"x":1},"list":[1,2]}`, []string{"pools"}},
		"entries unnamed":    {strings.Replace(base, `[1,2]`, `[1,3]`, 1), []string{"list"}},
		"a new field":        {strings.Replace(base, `"x":1`, `"x":1,"y":"z"`, 1), []string{"router.y, which is new"}},
		"a value of a kind":  {strings.Replace(base, `{"x":1}`, `null`, 1), []string{"router, which is left out"}},
		"several, in order":  {strings.NewReplacer(`"x":1`, `"x":2`, `"replicas":3`, `"replicas":1`).Replace(base), []string{"pools[b].replicas from 3 to 1", "router.x from 1 to 2"}},
		"a text for a value": {strings.Replace(base, `"x":1`, `"x":"one"`, 1), []string{"router.x from 1 to one"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, d := range differences(treeOf(t, base), treeOf(t, tc.after)) {
				got = append(got, d.String())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("−want +got:\n%s", diff)
			}
		})
	}
}

// eppWith is a scenario whose EPP has plugins with weights.
func eppWith(t *testing.T, plugins, weights string) Tree {
	return treeOf(t, `{"router":{"endpointPickerConfig":{"plugins":[`+plugins+`],"schedulingProfiles":[{"name":"default","plugins":[`+weights+`]}]}}}`)
}

// TestAChangeOfWhatWasIdle: a weight of a scorer that told no two replicas apart is not judged,
// though other decisions differ: because another part changed, too, or because the sums of
// scores were rounded in another way.
func TestAChangeOfWhatWasIdle(t *testing.T) {
	const (
		queue  = `{"name":"queue","type":"queue-scorer"}`
		lora   = `{"name":"lora","type":"lora-affinity-scorer"}`
		queue1 = `{"pluginRef":"queue","weight":1}`
		queue2 = `{"pluginRef":"queue","weight":2}`
		lora1  = `{"pluginRef":"lora","weight":1}`
		lora2  = `{"pluginRef":"lora","weight":2}`
	)
	both := queue + "," + lora
	rows := func(key string, digest uint64, idle ...string) []result.Row {
		var all []result.Row
		for seed := range int64(2) {
			all = append(all, result.Row{
				Key: key, Seed: seed, Share: 1, Metrics: result.NewMetrics(map[string]float64{"ttft.p99": float64(digest)}),
				Decisions: result.NewDecisions(10, digest+uint64(seed), nil, append([]string(nil), idle...)),
			})
		}
		return all
	}
	for name, tc := range map[string]struct {
		before, after       Tree
		baseline, candidate []result.Row
		want                string
	}{
		"beside a weight that counts": {
			eppWith(t, both, queue1+","+lora1), eppWith(t, both, queue2+","+lora2), rows("a", 1, "lora"), rows("b", 5, "lora"),
			"decisions differ under 2 of 2 seeds (20 decisions), so these simulations cannot judge the change of router.endpointPickerConfig.schedulingProfiles[default].plugins[lora].weight from 1 to 2: no request asks for a LoRA adapter; ",
		},
		"alone, with other roundings":   {eppWith(t, both, queue1+","+lora1), eppWith(t, both, queue1+","+lora2), rows("a", 1, "lora"), rows("b", 5, "lora"), "decisions differ"},
		"idle in one of them only":      {eppWith(t, both, queue1+","+lora1), eppWith(t, both, queue2+","+lora2), rows("a", 1, "lora"), rows("b", 5), ""},
		"the weight stays":              {eppWith(t, both, queue1+","+lora1), eppWith(t, both, queue2+","+lora1), rows("a", 1, "lora"), rows("b", 5, "lora"), ""},
		"a new scorer that is idle":     {eppWith(t, queue, queue1), eppWith(t, both, queue2+","+lora2), rows("a", 1), rows("b", 5, "lora"), "decisions differ"},
		"a new scorer that counts":      {eppWith(t, queue, queue1), eppWith(t, both, queue2+","+lora2), rows("a", 1), rows("b", 5), ""},
		"an idle scorer less":           {eppWith(t, both, queue1+","+lora2), eppWith(t, queue, queue2), rows("a", 1, "lora"), rows("b", 5, "queue"), "decisions differ"},
		"no decision differs":           {eppWith(t, both, queue1+","+lora1), eppWith(t, both, queue1+","+lora2), rows("a", 1, "lora"), rows("b", 1, "lora"), "0 of 20 decisions differ"},
		"no decision, whatever is idle": {eppWith(t, both, queue1+","+lora1), eppWith(t, both, queue1+","+lora2), rows("a", 1), rows("b", 1), "0 of 20 decisions differ"},
		"one configuration":             {eppWith(t, both, queue1+","+lora1), eppWith(t, both, queue1+","+lora1), rows("a", 1, "lora"), rows("a", 1, "lora"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := NewChange(tc.candidate, tc.baseline, nil, func() (Tree, Tree, error) { return tc.before, tc.after, nil })
			if !strings.HasPrefix(c.Unexercised, tc.want) || (tc.want == "") != (c.Unexercised == "") {
				t.Errorf("%q, want %q", c.Unexercised, tc.want)
			}
		})
	}
}

// TestSamePickers: what does nothing in an EPP configuration tells no two scenarios apart.
func TestSamePickers(t *testing.T) {
	const plugins, weights = `{"name":"q","type":"queue-scorer"},{"name":"f","type":"a-filter"},{"name":"p","type":"prefix","parameters":{"of":"q"}}`,
		`{"pluginRef":"f"},{"pluginRef":"q","weight":1},{"pluginRef":"p","weight":2}`
	for name, tc := range map[string]struct {
		plugins, weights string
		want             bool
	}{
		"equal":                    {plugins, weights, true},
		"plugins in another order": {`{"name":"p","type":"prefix","parameters":{"of":"q"}},{"name":"f","type":"a-filter"},{"name":"q","type":"queue-scorer"}`, weights, true},
		"scorers in another order": {plugins, `{"pluginRef":"p","weight":2},{"pluginRef":"f"},{"pluginRef":"q","weight":1}`, true},
		"another name":             {strings.ReplaceAll(plugins, `"q"`, `"load"`), strings.ReplaceAll(weights, `"q"`, `"load"`), true},
		"another weight":           {plugins, strings.ReplaceAll(weights, `2`, `3`), false},
		"another reference":        {strings.ReplaceAll(plugins, `"of":"q"`, `"of":"f"`), weights, false},
		"another type":             {strings.ReplaceAll(plugins, "queue-scorer", "other-scorer"), weights, false},
		"a plugin more":            {plugins + `,{"name":"r","type":"reader"}`, weights, false},
	} {
		if got := samePickers(eppWith(t, plugins, weights), eppWith(t, tc.plugins, tc.weights)); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	// Of two plugins of one type, the names tell which is which.
	two := func(first, second string) Tree {
		return eppWith(t, `{"name":"a","type":"filter","parameters":{"x":1}},{"name":"b","type":"filter","parameters":{"x":2}}`, `{"pluginRef":"`+first+`"},{"pluginRef":"`+second+`"}`)
	}
	if samePickers(two("a", "b"), two("b", "a")) {
		t.Error("filters in another order are the same")
	}
}
