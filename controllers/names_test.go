// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"windtunnel.dev/windtunnel/api/v1alpha1"
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
		job := jobName("uid", object, "hash", v1alpha1.Execution{Shards: 1000})
		if errs := validation.IsDNS1123Label(job + "-999-xxxxx"); len(errs) > 0 {
			t.Errorf("Job %s of %s has no room for its pods: %v", job, object, errs)
		}
		if errs := validation.IsValidLabelValue(labelValue(object)); len(errs) > 0 {
			t.Errorf("label of %s: %v", object, errs)
		}
		for _, name := range []string{job, labelValue(object)} {
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
	base := jobName("uid", "weights", "hash", memory("1Gi"))
	suspended := memory("1Gi")
	suspended.Suspend = true
	for name, tc := range map[string]struct {
		job  string
		same bool
	}{
		"of the same":                         {jobName("uid", "weights", "hash", memory("1Gi")), true},
		"suspended":                           {jobName("uid", "weights", "hash", suspended), true},
		"of another plan":                     {jobName("uid", "weights", "hush", memory("1Gi")), false},
		"with more memory":                    {jobName("uid", "weights", "hash", memory("2Gi")), false},
		"in more shards":                      {jobName("uid", "weights", "hash", v1alpha1.Execution{Shards: 2}), false},
		"of an object that was created again": {jobName("diu", "weights", "hash", memory("1Gi")), false},
	} {
		if (tc.job == base) != tc.same {
			t.Errorf("%s: %s and %s, want the same: %t", name, base, tc.job, tc.same)
		}
	}
}

func TestParseChunkName(t *testing.T) {
	for name, want := range map[string]struct {
		id chunkID
		ok bool
	}{
		"weights-00000000-0-0-12345678":       {chunkID{0, 0, "12345678"}, true},
		"weights-00000000-12-3-abcdef00":      {chunkID{12, 3, "abcdef00"}, true},
		"weights-00000000-plan":               {},
		"weights-00000000-0-0-1234567":        {},
		"weights-00000000-0-0-123456789":      {},
		"weights-00000000-00-0-12345678":      {},
		"weights-00000000--1-0-12345678":      {},
		"weights-00000000-0-0-1234567G":       {},
		"weights-00000001-0-0-12345678":       {},
		"weights-00000000-9999999-0-01234567": {},
		"":                                    {},
	} {
		id, ok := parseChunkName("weights-00000000", name)
		if id != want.id || ok != want.ok {
			t.Errorf("%q: got %v, %t; want %v, %t", name, id, ok, want.id, want.ok)
		}
	}
}

func TestOwnNamesAreRead(t *testing.T) {
	for _, object := range objectNames {
		job := jobName(types.UID("uid"), object, "hash", v1alpha1.Execution{Shards: 1})
		if _, ok := parseChunkName(job, planName(job)); ok {
			t.Errorf("the plan of %s is taken for a result", job)
		}
		if id, ok := parseChunkName(job, job+"-7-1-0123abcd"); !ok || id.shard != 7 {
			t.Errorf("a result of %s is not read", job)
		}
	}
}
