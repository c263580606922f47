// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
)

// patience bounds every wait. It is long because a busy machine is no failure.
const patience = 3 * time.Minute

// eventually waits until check says nothing more is missing.
func eventually(t *testing.T, check func() (missing string)) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		missing := check()
		if missing == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s: %s", patience, missing)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// customResource is an object of one of our kinds.
type customResource interface {
	client.Object
}

func statusOf(o customResource) *v1alpha1.CommonStatus {
	switch o := o.(type) {
	case *v1alpha1.SimulationRun:
		return &o.Status.CommonStatus
	case *v1alpha1.PolicySweep:
		return &o.Status.CommonStatus
	}
	panic(fmt.Sprintf("%T", o))
}

// create creates an object in a namespace.
func (p *platform) create(t *testing.T, namespace string, o client.Object) {
	t.Helper()
	o.SetNamespace(namespace)
	o.SetUID("")
	if err := p.client.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
}

// edit changes an object, however often somebody else does so meanwhile.
func edit[T client.Object](t *testing.T, p *platform, o T, change func(T)) {
	t.Helper()
	eventually(t, func() string {
		if err := p.client.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			return err.Error()
		}
		change(o)
		if err := p.client.Update(t.Context(), o); err != nil {
			return err.Error()
		}
		return ""
	})
}

// until waits until a condition of the object's own generation is True.
func (p *platform) until(t *testing.T, o customResource, condition string) *metav1.Condition {
	t.Helper()
	var found *metav1.Condition
	eventually(t, func() string {
		if err := p.client.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			return err.Error()
		}
		st := statusOf(o)
		found = meta.FindStatusCondition(st.Conditions, condition)
		if found == nil || found.Status != metav1.ConditionTrue || found.ObservedGeneration != o.GetGeneration() {
			return fmt.Sprintf("%s is not %s: %s", o.GetName(), condition, statusMessage(st))
		}
		return ""
	})
	return found
}

func statusMessage(st *v1alpha1.CommonStatus) string {
	var text []string
	for _, c := range st.Conditions {
		text = append(text, fmt.Sprintf("%s=%s (%s: %s)", c.Type, c.Status, c.Reason, c.Message))
	}
	return strings.Join(text, "; ")
}

// jobs returns the Jobs of a namespace.
func (p *platform) jobs(t *testing.T, namespace string) []batchv1.Job {
	t.Helper()
	var jobs batchv1.JobList
	if err := p.client.List(t.Context(), &jobs, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	return jobs.Items
}

// configMaps returns the ConfigMaps of a namespace that are of a component.
func (p *platform) configMaps(t *testing.T, namespace, component string) []corev1.ConfigMap {
	t.Helper()
	var list corev1.ConfigMapList
	err := p.client.List(t.Context(), &list, client.InNamespace(namespace), client.MatchingLabels{"app.kubernetes.io/component": component})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// chunks are what the index lists that a status names.
func (p *platform) chunks(t *testing.T, o customResource) []store.Reference {
	t.Helper()
	results := statusOf(o).Results
	if results == nil {
		return nil
	}
	var cm corev1.ConfigMap
	if err := p.client.Get(t.Context(), client.ObjectKey{Namespace: o.GetNamespace(), Name: results.Index}, &cm); err != nil {
		t.Fatal(err)
	}
	index, err := store.DecodeIndex([]byte(cm.Data[store.IndexKey]))
	if err != nil {
		t.Fatal(err)
	}
	return index.Chunks
}

// rows are the rows that a status names, in order, as they lie in ConfigMaps.
func (p *platform) rows(t *testing.T, o customResource) string {
	t.Helper()
	var all strings.Builder
	for _, ref := range p.chunks(t, o) {
		var cm corev1.ConfigMap
		if err := p.client.Get(t.Context(), client.ObjectKey{Namespace: o.GetNamespace(), Name: ref.Name}, &cm); err != nil {
			t.Fatal(err)
		}
		all.Write(lines(t, &cm))
	}
	return all.String()
}

// lines are the rows that a ConfigMap holds.
func lines(t *testing.T, cm *corev1.ConfigMap) []byte {
	t.Helper()
	lines, err := store.Chunk{Binary: cm.BinaryData}.Lines()
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// local is what a local verb prints of an object.
type local struct {
	Status json.RawMessage   `json:"status"`
	Rows   []json.RawMessage `json:"rows"`
}

// rows are a local verb's rows, one a line.
func (l local) rows(t *testing.T) string {
	t.Helper()
	var all bytes.Buffer
	for _, row := range l.Rows {
		if err := json.Compact(&all, row); err != nil {
			t.Fatal(err)
		}
		all.WriteByte('\n')
	}
	return all.String()
}

// runLocally runs the same objects with the local verb of the first one's kind.
func (p *platform) runLocally(t *testing.T, objects ...client.Object) local {
	t.Helper()
	verb := map[string]string{"SimulationRun": "run", "PolicySweep": "sweep"}[kindOf(objects[0])]
	var text bytes.Buffer
	for _, o := range objects {
		text.WriteString("---\n")
		text.Write(p.manifest(t, o))
	}
	file := filepath.Join(t.TempDir(), "manifest.yaml")
	testfile.Write(t, file, text.Bytes())
	return jsontest.Decode[local](t, p.verb(t, verb, "-f", file, "-o", "json"))
}

// verb runs the built binary and returns what it prints.
func (p *platform) verb(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), p.binary, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("windtunnel %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return out
}

// manifest is an object as its user wrote it.
func (p *platform) manifest(t *testing.T, o client.Object) []byte {
	t.Helper()
	o = o.DeepCopyObject().(client.Object)
	name := o.GetName()
	o.SetManagedFields(nil)
	o.SetUID("")
	o.SetResourceVersion("")
	o.SetGeneration(0)
	o.SetCreationTimestamp(metav1.Time{})
	o.SetNamespace("")
	gvk, err := p.client.GroupVersionKindFor(o)
	if err != nil {
		t.Fatal(err)
	}
	o.GetObjectKind().SetGroupVersionKind(gvk)
	raw := jsontest.Encode(t, o)
	fields := jsontest.Decode[map[string]any](t, raw)
	delete(fields, "status")
	fields["metadata"] = map[string]any{"name": name}
	text, err := yaml.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func kindOf(o client.Object) string {
	switch o.(type) {
	case *v1alpha1.SimulationRun:
		return "SimulationRun"
	case *v1alpha1.PolicySweep:
		return "PolicySweep"
	default:
		return fmt.Sprintf("%T", o)
	}
}

// applied brings manifests to the API server as a user does, and returns the one
// PolicySweep among them. kubectl is not among what these tests need: where the
// assets lack it, a client creates the objects.
func (p *platform) applied(t *testing.T, namespace string, files ...string) *v1alpha1.PolicySweep {
	t.Helper()
	kubectl := filepath.Join(os.Getenv(assetsVar), "kubectl")
	_, err := os.Stat(kubectl)
	withKubectl := err == nil
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if withKubectl {
		user, err := p.env.AddUser(envtest.User{Name: "applier", Groups: []string{"system:masters"}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := user.KubeConfig()
		if err != nil {
			t.Fatal(err)
		}
		testfile.Write(t, kubeconfig, raw)
	}
	var sweep *v1alpha1.PolicySweep
	for _, name := range files {
		set := experimenttest.ReadSet(t, testfile.Read(t, name))
		for _, s := range set.Sweeps {
			sweep = s
			sweep.Namespace = namespace
		}
		if withKubectl {
			cmd := exec.CommandContext(t.Context(), kubectl, "apply", "--kubeconfig", kubeconfig, "--namespace", namespace, "--server-side", "-f", name)
			out, err := cmd.CombinedOutput()
			if t.Logf("kubectl apply --server-side -f %s: %s", filepath.Base(name), out); err != nil {
				t.Fatal(err)
			}
			continue
		}
		for _, cm := range set.ConfigMaps {
			p.create(t, namespace, cm)
		}
		for _, s := range set.Sweeps {
			p.create(t, namespace, s)
		}
	}
	return sweep
}
