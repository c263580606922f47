// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/google/cel-go/cel"
	"github.com/google/go-cmp/cmp"
	lua "github.com/yuin/gopher-lua"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// toolViews is what GitOps tools make of an object.
type toolViews struct {
	// Kstatus is Flux' without further words, and that of other tools.
	Kstatus status.Status
	// Argo is Argo CD's with the shipped script.
	Argo string
	// Flux is Flux' with the shipped expressions.
	Flux status.Status
}

// viewsOf shows an object to all tools.
func viewsOf(t *testing.T, o client.Object) toolViews {
	t.Helper()
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		t.Fatal(err)
	}
	if st, ok := fields["status"].(map[string]any); ok && len(st) == 0 {
		// As the API server gives an object without a status.
		delete(fields, "status")
	}
	u := &unstructured.Unstructured{Object: fields}
	result, err := status.Compute(u)
	if err != nil {
		t.Fatal(err)
	}
	argo, message := argoHealth(t, fields)
	if message == "" {
		t.Errorf("Argo CD says %s and no more", argo)
	}
	return toolViews{Kstatus: result.Status, Argo: argo, Flux: fluxStatus(t, u)}
}

// argoHealth runs the shipped script as Argo CD does: the object is the global obj.
func argoHealth(t *testing.T, fields map[string]any) (status, message string) {
	t.Helper()
	l := lua.NewState()
	defer l.Close()
	l.SetGlobal("obj", luaValue(l, fields))
	if err := l.DoFile("../config/argocd/health.lua"); err != nil {
		t.Fatal(err)
	}
	health := l.Get(-1).(*lua.LTable)
	return lua.LVAsString(health.RawGetString("status")), lua.LVAsString(health.RawGetString("message"))
}

func luaValue(l *lua.LState, value any) lua.LValue {
	switch value := value.(type) {
	case map[string]any:
		table := l.NewTable()
		for key, child := range value {
			table.RawSetString(key, luaValue(l, child))
		}
		return table
	case []any:
		table := l.NewTable()
		for _, child := range value {
			table.Append(luaValue(l, child))
		}
		return table
	case string:
		return lua.LString(value)
	case bool:
		return lua.LBool(value)
	case int64:
		return lua.LNumber(value)
	case float64:
		return lua.LNumber(value)
	default:
		return lua.LNil
	}
}

// fluxStatus evaluates the shipped expressions in Flux' order. An expression that
// cannot be evaluated leaves the object unknown, and Flux asks again.
func fluxStatus(t *testing.T, u *unstructured.Unstructured) status.Status {
	t.Helper()
	raw := testfile.Read(t, "../config/flux/kustomization.yaml")
	var example struct {
		Spec struct {
			HealthCheckExprs []struct{ APIVersion, Kind, InProgress, Failed, Current string }
		}
	}
	if err := yaml.Unmarshal(raw, &example); err != nil {
		t.Fatal(err)
	}
	env, err := cel.NewEnv(cel.CrossTypeNumericComparisons(true), cel.OptionalTypes())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range example.Spec.HealthCheckExprs {
		if e.APIVersion != v1alpha1.GroupVersion.String() || e.Kind != u.GetKind() {
			continue
		}
		for _, step := range []struct {
			text string
			is   status.Status
		}{{e.InProgress, status.InProgressStatus}, {e.Failed, status.FailedStatus}, {e.Current, status.CurrentStatus}} {
			parsed, issues := env.Parse(step.text)
			if issues.Err() != nil {
				t.Fatalf("%s: %v", step.text, issues.Err())
			}
			program, err := env.Program(parsed)
			if err != nil {
				t.Fatal(err)
			}
			value, _, err := program.Eval(u.Object)
			if err != nil {
				return status.UnknownStatus
			}
			if value.Value() == true {
				return step.is
			}
		}
		return status.InProgressStatus
	}
	t.Fatalf("no expressions for %s", u.GetKind())
	return ""
}

// now reads an object as it is now, with its kind.
func (c *cluster) now(o client.Object) client.Object {
	s := c.subject(o)
	s.object().GetObjectKind().SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(s.kind()))
	return s.object()
}

// TestWhatGitOpsToolsSee shows them a sweep at each step of its life.
func TestWhatGitOpsToolsSee(t *testing.T) {
	var (
		progressing = toolViews{status.InProgressStatus, "Progressing", status.InProgressStatus}
		suspended   = toolViews{status.InProgressStatus, "Suspended", status.InProgressStatus}
		healthy     = toolViews{status.CurrentStatus, "Healthy", status.CurrentStatus}
		bad         = toolViews{status.FailedStatus, "Degraded", status.FailedStatus}
	)
	c := newCluster(t)
	sweep := weights().Obj()
	c.create(sweep)
	at := func(when string, want toolViews) {
		t.Helper()
		if diff := cmp.Diff(want, viewsOf(t, c.now(sweep))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	// What nobody has written to cannot say that it is not ready.
	at("created", toolViews{status.CurrentStatus, "Progressing", status.UnknownStatus})
	c.reconcile(sweep)
	at("reconciled", progressing)
	edit(c, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Execution.Suspend = true })
	at("suspended, unseen", progressing)
	c.reconcile(sweep)
	at("suspended", suspended)
	edit(c, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Execution.Suspend = false })
	c.reconcile(sweep)
	c.succeed(c.job(), 0)
	c.reconcile(sweep)
	at("half-way", progressing)
	c.succeed(c.job(), 1)
	c.reconcile(sweep)
	at("complete", healthy)
	edit(c, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Replications.Seeds = []int64{7, 8, 9} })
	at("edited, unseen", progressing)
	c.reconcile(sweep)
	at("edited", progressing)
	c.endJob(c.job(), batchv1.JobFailed, "DeadlineExceeded", "Job was active longer than specified deadline")
	c.reconcile(sweep)
	at("failed", bad)
	edit(c, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Parameters[0].Path = "pools[nobody].replicas" })
	at("broken, unseen", progressing)
	c.reconcile(sweep)
	at("broken", bad)
}

// TestWhatGitOpsToolsSeeOfConditions shows them complete sweeps whose gates pass, fail and are undecided, and whose cluster
// drifted or not.
func TestWhatGitOpsToolsSeeOfConditions(t *testing.T) {
	type condition struct {
		of     string
		status metav1.ConditionStatus
	}
	healthy := toolViews{status.CurrentStatus, "Healthy", status.CurrentStatus}
	bad := toolViews{status.CurrentStatus, "Degraded", status.FailedStatus}
	for is, want := range map[condition]toolViews{
		{v1alpha1.ConditionPassed, metav1.ConditionTrue}:     healthy,
		{v1alpha1.ConditionPassed, metav1.ConditionUnknown}:  bad,
		{v1alpha1.ConditionPassed, metav1.ConditionFalse}:    bad,
		{v1alpha1.ConditionDrifted, metav1.ConditionTrue}:    bad,
		{v1alpha1.ConditionDrifted, metav1.ConditionUnknown}: healthy,
		{v1alpha1.ConditionDrifted, metav1.ConditionFalse}:   healthy,
	} {
		sweep := weights().Condition(metav1.Condition{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue}).
			Condition(metav1.Condition{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonComplete}).
			Condition(metav1.Condition{Type: is.of, Status: is.status, Reason: "Because"}).Obj()
		sweep.Status.ObservedGeneration = sweep.Generation
		sweep.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.PolicySweepKind))
		if diff := cmp.Diff(want, viewsOf(t, sweep)); diff != "" {
			t.Errorf("%s is %s (-want +got):\n%s", is.of, is.status, diff)
		}
	}
}

// TestWhatGitOpsToolsSeeOfDamagedResults shows them a complete sweep whose results
// somebody deletes.
func TestWhatGitOpsToolsSeeOfDamagedResults(t *testing.T) {
	c, sweep := completeSweep(t)
	chunk := c.rowMaps()[0]
	c.must(c.client.Delete(t.Context(), chunk))
	c.reconcile(sweep)
	want := toolViews{status.CurrentStatus, "Degraded", status.FailedStatus}
	if diff := cmp.Diff(want, viewsOf(t, c.now(sweep))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestConditionsThatAreNotTrue shows them placeholders, which count for nothing.
func TestConditionsThatAreNotTrue(t *testing.T) {
	b := weights()
	for _, typ := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionComplete, v1alpha1.ConditionFailed, v1alpha1.ConditionSuspended, v1alpha1.ConditionStalled} {
		b.Condition(metav1.Condition{Type: typ, Status: metav1.ConditionFalse, Reason: "No"})
	}
	sweep := b.Obj()
	sweep.Status.ObservedGeneration = sweep.Generation
	sweep.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.PolicySweepKind))
	want := toolViews{status.InProgressStatus, "Progressing", status.InProgressStatus}
	if diff := cmp.Diff(want, viewsOf(t, sweep)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTheArgoCDExampleHoldsTheScript holds the patch of Argo CD's ConfigMap against
// the script that is tested.
func TestTheArgoCDExampleHoldsTheScript(t *testing.T) {
	script := testfile.Read(t, "../config/argocd/health.lua")
	raw := testfile.Read(t, "../config/argocd/argocd-cm.yaml")
	var patch struct{ Data map[string]string }
	if err := yaml.Unmarshal(raw, &patch); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{v1alpha1.SimulationRunKind, v1alpha1.PolicySweepKind} {
		key := fmt.Sprintf("resource.customizations.health.%s_%s", v1alpha1.GroupVersion.Group, kind)
		if diff := cmp.Diff(strings.TrimSpace(string(script)), strings.TrimSpace(patch.Data[key])); diff != "" {
			t.Errorf("%s (-script +patch):\n%s", key, diff)
		}
	}
	if len(patch.Data) != 2 {
		t.Errorf("the patch has %d keys, want 2", len(patch.Data))
	}
}
