// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
)

// roles are the rules of all roles of config/default and of config/evaluator.
func roles(t *testing.T) map[string][]rbacv1.PolicyRule {
	t.Helper()
	rules := map[string][]rbacv1.PolicyRule{}
	all := kustomized(t, root+"/config/default")
	maps.Copy(all, kustomized(t, root+"/config/evaluator"))
	for k, o := range all {
		switch o.GetKind() {
		case "ClusterRole":
			rules[k] = as[rbacv1.ClusterRole](t, o).Rules
		case "Role":
			rules[k] = as[rbacv1.Role](t, o).Rules
		}
	}
	if len(rules) < 9 {
		t.Fatalf("%d roles; something is not looked at", len(rules))
	}
	return rules
}

func TestNoRoleIsWide(t *testing.T) {
	forbidden := []string{"secrets", "pods/exec", "pods/log", "pods/attach", "nodes", "serviceaccounts/token"}
	for name, rules := range roles(t) {
		for _, rule := range rules {
			for _, field := range [][]string{rule.APIGroups, rule.Resources, rule.Verbs, rule.NonResourceURLs} {
				if slices.Contains(field, "*") {
					t.Errorf("%s has a wildcard: %v", name, rule)
				}
			}
			if slices.ContainsFunc(rule.Resources, func(r string) bool { return slices.Contains(forbidden, r) }) {
				t.Errorf("%s reaches %v", name, rule.Resources)
			}
			if slices.Contains(rule.Verbs, "escalate") || slices.Contains(rule.Verbs, "impersonate") {
				t.Errorf("%s may %v", name, rule.Verbs)
			}
			if slices.Contains(rule.Verbs, "bind") && !slices.Equal(rule.ResourceNames, []string{"windtunnel-worker"}) {
				t.Errorf("%s may bind more than the workers' role: %v", name, rule)
			}
		}
	}
}

func TestTheWorkersRoleIsOneVerb(t *testing.T) {
	want := []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"create"}}}
	if diff := cmp.Diff(want, roles(t)[key("ClusterRole", "", "windtunnel-worker")]); diff != "" {
		t.Errorf("rules of workers (-want +got):\n%s", diff)
	}
}
