// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/observe"
)

// twinRun is a run of two replicas, whose requests a window of a minute has some hundreds of.
const twinRun = `
apiVersion: sim.windtunnel.dev/v1alpha1
kind: SimulationRun
metadata: {name: chat}
spec:
  scenario:
    horizon: {duration: 5m}
    pools:
    - {name: llama, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, replicas: 2}
    router: {endpointPickerConfig: {version: router-v0.10, inline: "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n"}}
    workload:
      clients:
      - name: chat
        arrivals: {rate: "10"}
        inputTokens: {distribution: LogNormal, mean: "300", stdDev: "100", max: 4000}
        outputTokens: {distribution: LogNormal, mean: "60", stdDev: "20", max: 800}
`

// served are an InferencePool, its engines and its EPP.
const served = `
apiVersion: inference.networking.k8s.io/v1
kind: InferencePool
metadata: {name: llama}
spec: {selector: {matchLabels: {app: llama}}, targetPorts: [{number: 8000}], endpointPickerRef: {name: epp}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: llama}
spec:
  replicas: 2
  selector: {matchLabels: {app: llama}}
  template:
    metadata: {labels: {app: llama}}
    spec: {containers: [{name: vllm, image: "vllm/vllm-openai:v0.11.0", command: [vllm, serve, meta-llama/Llama-3.1-8B-Instruct]}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: epp}
data:
  epp.yaml: |
    apiVersion: llm-d.ai/v1alpha1
    kind: EndpointPickerConfig
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: epp}
spec:
  selector: {matchLabels: {app: epp}}
  template:
    metadata: {labels: {app: epp}}
    spec:
      containers:
      - name: epp
        image: ghcr.io/llm-d/llm-d-router-endpoint-picker:v0.10.0
        args: [--pool-name, llama, --config-file, /config/epp.yaml]
        volumeMounts: [{name: config, mountPath: /config}]
      volumes: [{name: config, configMap: {name: epp}}]
`

// poolDefinition defines InferencePools, as far as a client sees it.
const poolDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: inferencepools.inference.networking.k8s.io
  annotations: {api-approved.kubernetes.io: "unapproved, for a test"}
spec:
  group: inference.networking.k8s.io
  scope: Namespaced
  names: {kind: InferencePool, plural: inferencepools, singular: inferencepool, listKind: InferencePoolList}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`

// TestATwinWritesDrifted follows a pool with the rights of config/observe, beside the manager: it is as predicted, then its
// answers get longer, then another replica is there, and at last nothing looks any more.
func TestATwinWritesDrifted(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	p.applyText(t, "", poolDefinition)
	p.applyText(t, ns, served)
	p.ready(t, ns, "epp", 1)
	p.ready(t, ns, "llama", 2)
	p.twinAccount(t, ns)
	p.applyText(t, ns, twinRun)
	run := &v1alpha1.SimulationRun{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "chat"}}

	prometheus, longer := p.played(t)
	twin := p.twin(t, ns, "observe", "chat", "-n", ns, "--inference-pool", "llama", "--condition", "--follow", "--prometheus", prometheus,
		"--last", "1m", "--between", "1s", "--seeds", "5", "--false-alarms", "0.5", "--listen", "127.0.0.1:0")
	drifted := p.drifted(t, run, metav1.ConditionFalse, v1alpha1.ReasonAsPredicted)
	p.until(t, run, v1alpha1.ConditionComplete)
	if now := p.drifted(t, run, metav1.ConditionFalse, v1alpha1.ReasonAsPredicted); !now.LastTransitionTime.Equal(&drifted.LastTransitionTime) || now.ObservedGeneration != run.Generation {
		t.Errorf("the condition was\n%+v, and is\n%+v", drifted, now)
	}

	longer.Store(true)
	if drifted := p.drifted(t, run, metav1.ConditionTrue, "Lengths"); !strings.Contains(drifted.Message, "drift, mainly in the lengths (promptTokens ") {
		t.Errorf("the condition is %+v", drifted)
	}
	p.ready(t, ns, "llama", 3)
	if drifted := p.drifted(t, run, metav1.ConditionUnknown, v1alpha1.ReasonChanged); !strings.Contains(drifted.Message, "pool llama: 2 → 3 replicas; the next look is at ") {
		t.Errorf("the condition is %+v", drifted)
	}
	p.ready(t, ns, "llama", 0)
	if drifted := p.drifted(t, run, metav1.ConditionUnknown, v1alpha1.ReasonLookFailed); !regexp.MustCompile(`^20\d\d-\S+Z chat: no replica of Deployment llama is ready$`).MatchString(drifted.Message) {
		t.Errorf("the condition is %+v", drifted)
	}
	p.ready(t, ns, "llama", 3) // as before, but the window has time without any
	if drifted := p.drifted(t, run, metav1.ConditionUnknown, v1alpha1.ReasonChanged); !strings.Contains(drifted.Message, "InferencePool llama can be predicted again; the next look is at ") {
		t.Errorf("the condition is %+v", drifted)
	}
	edit(t, p, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "epp"}}, func(m *corev1.ConfigMap) {
		m.Data["epp.yaml"] += "\nplugins: [{type: queue-scorer}]\nschedulingProfiles: [{name: default, plugins: [{pluginRef: queue-scorer}]}]\n"
	})
	eventually(t, func() string {
		if drifted := p.drifted(t, run, metav1.ConditionUnknown, v1alpha1.ReasonChanged); !strings.Contains(drifted.Message, "the EPP has another configuration") {
			return drifted.Message
		}
		return ""
	})
	twin()
	p.drifted(t, run, metav1.ConditionUnknown, v1alpha1.ReasonStopped)
}

// TestATwinMayChangeNothingElse asks for the rights of config/observe.
func TestATwinMayChangeNothingElse(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	p.twinAccount(t, ns)
	may := func(verb, group, resource, sub, name string) bool {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User:               "system:serviceaccount:" + ns + ":windtunnel-twin",
			ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: ns, Verb: verb, Group: group, Resource: resource, Subresource: sub, Name: name},
		}}
		if err := p.client.Create(t.Context(), review); err != nil {
			t.Fatal(err)
		}
		return review.Status.Allowed
	}
	eventually(t, func() string {
		if !may("patch", v1alpha1.GroupVersion.Group, "simulationruns", "status", "chat") {
			return "the status of the run may not be written"
		}
		return ""
	})
	for _, verb := range []string{"create", "update", "patch", "delete"} {
		for _, of := range [][3]string{
			{"inference.networking.k8s.io", "inferencepools"}, {"apps", "deployments"}, {"apps", "deployments", "scale"}, {"", "configmaps"},
			{v1alpha1.GroupVersion.Group, "simulationruns"}, {v1alpha1.GroupVersion.Group, "policysweeps", "status"}, {"", "secrets"},
		} {
			if may(verb, of[0], of[1], of[2], "chat") {
				t.Errorf("a twin may %s %v", verb, of)
			}
		}
	}
	if may("get", "", "secrets", "", "") || may("list", "", "configmaps", "", "") {
		t.Error("a twin may read Secrets, or list ConfigMaps")
	}
	if may("patch", v1alpha1.GroupVersion.Group, "simulationruns", "status", "other") {
		t.Error("a twin may write the status of a run that it does not follow")
	}
}

// twinAccount creates the account of config/observe with its rights.
func (p *platform) twinAccount(t *testing.T, ns string) {
	t.Helper()
	raw := testfile.Read(t, "../../config/observe/twin.yaml")
	for text := range strings.SplitSeq(strings.ReplaceAll(string(raw), "namespace: serve", "namespace: "+ns), "\n---\n") {
		if regexp.MustCompile(`(?m)^kind: (ServiceAccount|Role|RoleBinding)$`).MatchString(text) {
			p.applyText(t, ns, text)
		}
	}
}

// applyText creates objects of a manifest, unless they are there.
func (p *platform) applyText(t *testing.T, namespace, manifest string) {
	t.Helper()
	for text := range strings.SplitSeq(manifest, "\n---\n") {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
			t.Fatal(err)
		}
		o.SetNamespace(namespace)
		eventually(t, func() string { // a definition takes a moment to be in force
			if err := client.IgnoreAlreadyExists(p.client.Create(t.Context(), o)); err != nil {
				return err.Error()
			}
			return ""
		})
	}
}

// ready says how many replicas of a Deployment are.
func (p *platform) ready(t *testing.T, ns, name string, replicas int32) {
	t.Helper()
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}}
	edit(t, p, d, func(d *appsv1.Deployment) { d.Spec.Replicas = ptr.To(replicas) })
	d.Status.Replicas, d.Status.ReadyReplicas = replicas, replicas
	if err := p.client.Status().Update(t.Context(), d); err != nil {
		t.Fatal(err)
	}
}

// drifted waits until condition Drifted is of a status and a reason.
func (p *platform) drifted(t *testing.T, run *v1alpha1.SimulationRun, status metav1.ConditionStatus, reason string) (found *metav1.Condition) {
	t.Helper()
	eventually(t, func() string {
		if err := p.client.Get(t.Context(), client.ObjectKeyFromObject(run), run); err != nil {
			return err.Error()
		}
		found = meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionDrifted)
		if found == nil || found.Status != status || found.Reason != reason {
			return fmt.Sprintf("Drifted is not %s (%s): %s", status, reason, statusMessage(&run.Status.CommonStatus))
		}
		return ""
	})
	return found
}

// twin starts the command with the account of a namespace's twin. stop stops it as a kubelet does.
func (p *platform) twin(t *testing.T, ns string, args ...string) (stop func()) {
	t.Helper()
	user, err := p.env.AddUser(envtest.User{Name: "system:serviceaccount:" + ns + ":windtunnel-twin"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := user.KubeConfig()
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	testfile.Write(t, kubeconfig, raw)
	cmd := exec.CommandContext(t.Context(), p.binary, args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Env = &said, &said, append(os.Environ(), "KUBECONFIG="+kubeconfig)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { t.Logf("the twin says:\n%s", &said) })
	return func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the twin ends with %v", err)
		}
	}
}

// played serves what a Prometheus has of a cluster as predicted, and of one with longer answers where longer is true. Its
// past has five minutes, and its future half an hour.
func (p *platform) played(t *testing.T) (address string, longer *atomic.Bool) {
	t.Helper()
	folder := t.TempDir()
	manifest := filepath.Join(folder, "run.yaml")
	testfile.Write(t, manifest, []byte(twinRun))
	var recordings [2]*observe.Recording
	for i, set := range []string{"60", "90"} {
		samples := filepath.Join(folder, set)
		cmd := exec.CommandContext(t.Context(), p.binary, "observe", "-f", manifest, "--play", samples, "--last", "35m", "--every", "35m", "--set", "workload.clients[chat].outputTokens.mean="+set)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		in, err := os.Open(samples)
		if err != nil {
			t.Fatal(err)
		}
		recordings[i], err = observe.Read(in)
		in.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	longer = &atomic.Bool{}
	begins := time.Now().Add(-5 * time.Minute).Unix()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		of := recordings[0]
		if longer.Load() {
			of = recordings[1]
		}
		var from, to int64
		_, _ = fmt.Sscan(r.FormValue("start"), &from)
		_, _ = fmt.Sscan(r.FormValue("end"), &to)
		names := regexp.MustCompile(`^(` + strings.Split(r.FormValue("query"), `"`)[1] + `)$`)
		result := []any{}
		for _, s := range of.Series {
			if !names.MatchString(s.Metric) {
				continue
			}
			labels := map[string]string{"__name__": s.Metric}
			for name, value := range s.Labels {
				labels[name] = value
			}
			var values [][2]any
			for at, k := from, 0; at <= to; at += 15 {
				for k+1 < len(s.Points) && s.Points[k+1].At-of.Series[0].Points[0].At <= 1000*(at-begins) {
					k++
				}
				values = append(values, [2]any{at, fmt.Sprint(s.Points[k].Value)})
			}
			result = append(result, map[string]any{"metric": labels, "values": values})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"status": "success", "data": map[string]any{"resultType": "matrix", "result": result}})
	}))
	t.Cleanup(server.Close)
	return server.URL, longer
}
