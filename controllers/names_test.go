// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// objectNames are names that the API server takes.
var objectNames = []string{
	"a",
	"weights",
	"team.example.org",
	strings.Repeat("a", 63),
	strings.Repeat("a", 63) + "b",
	strings.Repeat("a.", 126) + "b",
	strings.Repeat("a-", 126) + "b",
	strings.Repeat("a", 35) + "-." + strings.Repeat("a", 35),
	"0",
}

func TestNamesFitWhatTheyNameAndDiffer(t *testing.T) {
	names := map[string]string{}
	for _, object := range objectNames {
		if errs := validation.IsDNS1123Subdomain(object); len(errs) > 0 && !strings.Contains(object, "-.") {
			t.Fatalf("%q is no object's name: %v", object, errs)
		}
		job := jobName("uid", object, "hash", 999, 0, "work", v1alpha1.Execution{Shards: 1000})
		if errs := validation.IsDNS1123Label(job + "-999-xxxxx"); len(errs) > 0 {
			t.Errorf("Job %s of %s has no room for its pods: %v", job, object, errs)
		}
		if errs := validation.IsValidLabelValue(worker.LabelValue(object)); len(errs) > 0 {
			t.Errorf("label of %s: %v", object, errs)
		}
		for _, name := range []string{job, worker.LabelValue(object)} {
			if other, taken := names[name]; taken && other != object {
				t.Errorf("%s names both %s and %s", name, other, object)
			}
			names[name] = object
		}
	}
}

func TestAJobsNameChangesWithWhatAJobCannotChange(t *testing.T) {
	memory := func(text string) v1alpha1.Execution {
		return v1alpha1.Execution{Shards: 1, Resources: corev1.ResourceRequirements{
			Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(text)},
		}}
	}
	base := jobName("uid", "weights", "hash", 1, 0, "work", memory("1Gi"))
	with := func(change func(*v1alpha1.Execution)) v1alpha1.Execution {
		e := memory("1Gi")
		change(&e)
		return e
	}
	suspended := with(func(e *v1alpha1.Execution) { e.Suspend = true })
	for name, tc := range map[string]struct {
		job  string
		same bool
	}{
		"of the same":              {jobName("uid", "weights", "hash", 1, 0, "work", memory("1Gi")), true},
		"suspended":                {jobName("uid", "weights", "hash", 1, 0, "work", suspended), true},
		"of another round":         {jobName("uid", "weights", "hash", 2, 0, "work", memory("1Gi")), false},
		"of other simulations":     {jobName("uid", "weights", "hash", 1, 0, "rest", memory("1Gi")), false},
		"of another plan":          {jobName("uid", "weights", "hush", 1, 0, "work", memory("1Gi")), false},
		"in another attempt":       {jobName("uid", "weights", "hash", 1, 1, "work", memory("1Gi")), false},
		"with what is the default": {jobName("uid", "weights", "hash", 1, 0, "work", with(func(e *v1alpha1.Execution) { e.RetriesPerShard = ptr.To[int32](3) })), true},
		"with a deadline and a TTL": {jobName("uid", "weights", "hash", 1, 0, "work", with(func(e *v1alpha1.Execution) {
			e.ActiveDeadlineSeconds, e.TTLSecondsAfterFinished = ptr.To[int64](1), ptr.To[int32](1)
		})), true},
		"with other retries":                  {jobName("uid", "weights", "hash", 1, 0, "work", with(func(e *v1alpha1.Execution) { e.RetriesPerShard = ptr.To[int32](0) })), false},
		"with a budget of shards":             {jobName("uid", "weights", "hash", 1, 0, "work", with(func(e *v1alpha1.Execution) { e.MaxFailedShards = 1 })), false},
		"managed by another":                  {jobName("uid", "weights", "hash", 1, 0, "work", with(func(e *v1alpha1.Execution) { e.ManagedBy = "example.com/other" })), false},
		"with another pod":                    {jobName("uid", "weights", "hash", 1, 0, "work", with(func(e *v1alpha1.Execution) { e.PodOverrides.PriorityClassName = "low" })), false},
		"with more memory":                    {jobName("uid", "weights", "hash", 1, 0, "work", memory("2Gi")), false},
		"in more shards":                      {jobName("uid", "weights", "hash", 1, 0, "work", v1alpha1.Execution{Shards: 2}), false},
		"of an object that was created again": {jobName("diu", "weights", "hash", 1, 0, "work", memory("1Gi")), false},
	} {
		if (tc.job == base) != tc.same {
			t.Errorf("%s: %s and %s, want the same: %t", name, base, tc.job, tc.same)
		}
	}
}
