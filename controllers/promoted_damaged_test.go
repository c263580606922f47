// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// People roll out what a sweep promotes: the status names the ConfigMap as damaged if it is another one.
func TestAPromotedConfigMapThatIsReplaced(t *testing.T) {
	for name, tc := range map[string]struct {
		harm func(*cluster, *corev1.ConfigMap)
		want string // "" if it is as it was
	}{
		"left alone": {func(*cluster, *corev1.ConfigMap) {}, ""},
		"deleted":    {func(c *cluster, cm *corev1.ConfigMap) { c.must(c.client.Delete(c.t.Context(), cm)) }, "does not exist"},
		"other weights": {func(c *cluster, cm *corev1.ConfigMap) {
			c.replace(cm, func(cm *corev1.ConfigMap) {
				for key := range cm.Data {
					cm.Data[key] = strings.ReplaceAll(cm.Data[key], "weight: ", "weight: 1")
				}
			})
		}, "was promoted"},
		"as it was": {func(c *cluster, cm *corev1.ConfigMap) { c.replace(cm, func(*corev1.ConfigMap) {}) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			sweep := weights().Obj()
			sweep.Spec.Promote = &v1alpha1.Promotion{Format: v1alpha1.SourceFormat, When: v1alpha1.PromoteWhenComplete}
			c.create(sweep)
			c.reconcile(sweep)
			for shard := range shards {
				c.succeed(c.job(), shard)
				c.reconcile(sweep)
			}
			c.pass(time.Minute)
			tc.harm(c, c.promoted(sweep))
			c.reconcile(sweep)
			got := meta.FindStatusCondition(c.subject(sweep).status().Conditions, v1alpha1.ConditionResultsDamaged)
			if (got != nil) != (tc.want != "") || got != nil && !strings.Contains(got.Message, tc.want) {
				t.Errorf("condition %+v, want %q", got, tc.want)
			}
		})
	}
}

// promoted is the ConfigMap that a sweep promotes.
func (c *cluster) promoted(of *v1alpha1.PolicySweep) *corev1.ConfigMap {
	c.t.Helper()
	name := c.subject(of).(sweep).Status.Promoted
	all := c.configMaps()
	for i := range all {
		if all[i].Name == name && name != "" {
			return &all[i]
		}
	}
	c.t.Fatalf("there is no ConfigMap %q", name)
	return nil
}
