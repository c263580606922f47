// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"k8s.io/utils/ptr"
)

// pods are the templates of all pods that the operator has.
func pods(t *testing.T) map[string]*corev1.PodTemplateSpec {
	t.Helper()
	// That file is what controllers/job_test.go holds the code to.
	raw, err := os.ReadFile(filepath.Join(root, "controllers", "testdata", "job.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	templates := map[string]*corev1.PodTemplateSpec{"the chart's manager": &manager(t).Spec.Template}
	for _, o := range decode(t, string(raw)) {
		templates["a worker"] = &as[batchv1.Job](t, o).Spec.Template
	}
	raw, err = os.ReadFile(filepath.Join(root, "controllers", "testdata", "live.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	live := decode(t, string(raw))
	templates["a live worker"] = &as[batchv1.Job](t, live[key("Job", "team-a", "once-01234567")]).Spec.Template
	templates["a live replica"] = &as[appsv1.Deployment](t, live[key("Deployment", "team-a", "once-llama")]).Spec.Template
	deployments := kustomized(t, root+"/config/default")
	templates["the manager"] = &as[appsv1.Deployment](t, deployments[key("Deployment", namespace, "windtunnel-manager")]).Spec.Template
	serving := overlay(t, "web", "flagger")[key("Deployment", namespace, "windtunnel-manager")]
	templates["the manager with web and flagger"] = &as[appsv1.Deployment](t, serving).Spec.Template
	evaluator := kustomized(t, root+"/config/evaluator")[key("Deployment", "windtunnel-evaluator", "windtunnel-evaluator")]
	templates["the evaluator"] = &as[appsv1.Deployment](t, evaluator).Spec.Template
	engine := kustomized(t, root+"/config/engine")[key("Deployment", "windtunnel-engine", "engine")]
	templates["an engine"] = &as[appsv1.Deployment](t, engine).Spec.Template
	twin, err := os.ReadFile(root + "/config/observe/twin.yaml")
	if err != nil {
		t.Fatal(err)
	}
	templates["a twin"] = &as[appsv1.Deployment](t, decode(t, string(twin))[key("Deployment", "serve", "windtunnel-twin")]).Spec.Template
	return templates
}

// TestPodsAreRestricted asks the API server's own checks.
func TestPodsAreRestricted(t *testing.T) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	oldest, err := api.ParseVersion("v1.34")
	if err != nil {
		t.Fatal(err)
	}
	for name, pod := range pods(t) {
		for _, version := range []api.Version{oldest, api.LatestVersion()} {
			level := api.LevelVersion{Level: api.LevelRestricted, Version: version}
			if result := policy.AggregateCheckResults(evaluator.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec)); !result.Allowed {
				t.Errorf("%s is refused by %s: %s", name, level.String(), result.ForbiddenDetail())
			}
		}
		pod := pod.DeepCopy()
		pod.Spec.Containers[0].SecurityContext.AllowPrivilegeEscalation = nil
		level := api.LevelVersion{Level: api.LevelRestricted, Version: oldest}
		if policy.AggregateCheckResults(evaluator.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec)).Allowed {
			t.Errorf("the checks admit %s with privileges", name)
		}
	}
}

// TestPodsAreHardened looks at what the standards leave open.
func TestPodsAreHardened(t *testing.T) {
	for name, pod := range pods(t) {
		if ptr.Deref(pod.Spec.EnableServiceLinks, true) {
			t.Errorf("%s is told of all Services of its namespace", name)
		}
		needs := name != "an engine" && name != "a live replica"
		if token := pod.Spec.AutomountServiceAccountToken; token == nil || *token != needs {
			t.Errorf("%s needs a token: %t, and does not say so itself: it would depend on its account's default", name, needs)
		}
		for _, c := range pod.Spec.Containers {
			for _, fault := range hardening(c) {
				t.Errorf("container %s of %s %s", c.Name, name, fault)
			}
		}
	}
}

func hardening(c corev1.Container) (faults []string) {
	if !ptr.Deref(c.SecurityContext.ReadOnlyRootFilesystem, false) {
		faults = append(faults, "may write its root file system")
	}
	if c.Resources.Limits.Memory().IsZero() {
		faults = append(faults, "has no limit of memory")
	}
	for _, e := range c.Env {
		if e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil {
			faults = append(faults, fmt.Sprintf("reads a Secret into %s", e.Name))
		}
	}
	return faults
}

// TestAccountsGiveNoTokenUnasked is about pods that somebody else runs under an
// account of ours.
func TestAccountsGiveNoTokenUnasked(t *testing.T) {
	account := as[corev1.ServiceAccount](t, kustomized(t, root+"/config/default")[key("ServiceAccount", namespace, "windtunnel-manager")])
	if ptr.Deref(account.AutomountServiceAccountToken, true) {
		t.Error("every pod of the manager's account gets its token")
	}
}
