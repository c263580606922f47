// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/controllers"
	"windtunnel.dev/windtunnel/internal/testing/apiserver"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/doctor"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// definition is one of the kinds' as a cluster has it, edited.
func definition(t *testing.T, plural string, edit func(spec map[string]any, status map[string]any)) *unstructured.Unstructured {
	t.Helper()
	raw := testfile.Read(t, "../../config/crd/bases/sim.windtunnel.dev_"+plural+".yaml")
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(raw, &u.Object); err != nil {
		t.Fatal(err)
	}
	status := map[string]any{"storedVersions": []any{"v1alpha1"}}
	u.Object["status"] = status
	if edit != nil {
		edit(u.Object["spec"].(map[string]any), status)
	}
	return u
}

func inN(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Namespace: "n"} }

// healthy is a cluster on which all is as it should be, by the names of its objects.
func healthy(t *testing.T) map[string]client.Object {
	manager := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Name: "windtunnel-manager", Namespace: "windtunnel-system", Labels: map[string]string{"app.kubernetes.io/name": "windtunnel", "app.kubernetes.io/component": "manager"},
	}}
	manager.Spec.Template.Spec.Containers = []corev1.Container{{Name: "manager", Image: "registry.example.com:5000/windtunnel:dev"}}
	manager.Status.ReadyReplicas = 1
	run := aRun("r", "Ready=True/Complete")
	run.Status.EngineVersion = simulator.EngineVersion
	return map[string]client.Object{
		"sweeps": definition(t, "policysweeps", nil), "runs": definition(t, "simulationruns", nil), "manager": manager, "run": run,
		"account": &corev1.ServiceAccount{ObjectMeta: inN(worker.AccountName)},
		"binding": &rbacv1.RoleBinding{ObjectMeta: inN(worker.AccountName), RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: worker.AccountName}},
	}
}

func findingsOf(t *testing.T, args ...string) ([]doctor.Finding, error) {
	t.Helper()
	out, _, err := plugin(t, append([]string{"doctor", "-o", "json"}, args...)...)
	var found []doctor.Finding
	if e := json.Unmarshal([]byte(out), &found); e != nil {
		t.Fatalf("%v in\n%s", e, out)
	}
	return found, err
}

func isolation(name string, ports ...int) *networkingv1.NetworkPolicy {
	p := &networkingv1.NetworkPolicy{ObjectMeta: inN(name)}
	p.Spec.PolicyTypes = []networkingv1.PolicyType{networkingv1.PolicyTypeEgress}
	for _, port := range ports {
		at := intstr.FromInt(port)
		p.Spec.Egress = append(p.Spec.Egress, networkingv1.NetworkPolicyEgressRule{Ports: []networkingv1.NetworkPolicyPort{{Port: &at}}})
	}
	return p
}

func quota(resources string, hard, used string) *corev1.ResourceQuota {
	q := &corev1.ResourceQuota{ObjectMeta: inN("quota")}
	q.Status.Hard = corev1.ResourceList{corev1.ResourceName(resources): resource.MustParse(hard)}
	q.Status.Used = corev1.ResourceList{corev1.ResourceName(resources): resource.MustParse(used)}
	return q
}

func hook(resource string, policy admissionregistrationv1.FailurePolicyType) *admissionregistrationv1.ValidatingWebhookConfiguration {
	return &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "guard"}, Webhooks: []admissionregistrationv1.ValidatingWebhook{{
		Name: "guard.example.com", FailurePolicy: &policy,
		ClientConfig: admissionregistrationv1.WebhookClientConfig{Service: &admissionregistrationv1.ServiceReference{Namespace: "guard", Name: "guard"}},
		Rules: []admissionregistrationv1.RuleWithOperations{{
			Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
			Rule:       admissionregistrationv1.Rule{APIGroups: []string{"*"}, Resources: []string{resource}},
		}},
	}}}
}

func TestDoctorFindsWhatIsWrong(t *testing.T) {
	bound := corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Max: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}}
	for name, tc := range map[string]struct {
		change func(objects map[string]client.Object, s *apiserver.Server)
		check  string
		level  doctor.Level
		want   string
		mend   string
	}{
		"nothing": {func(map[string]client.Object, *apiserver.Server) {}, "", doctor.OK, "", ""},
		"no definitions": {func(o map[string]client.Object, _ *apiserver.Server) { delete(o, "runs") },
			"definitions", doctor.Fail, "no definition of simulationruns", "kubectl apply --server-side -k config/crd"},
		"a version that is not served": {func(o map[string]client.Object, _ *apiserver.Server) {
			o["sweeps"] = definition(t, "policysweeps", func(spec, _ map[string]any) { spec["versions"].([]any)[0].(map[string]any)["served"] = false })
		}, "definitions", doctor.Fail, "does not serve version v1alpha1", "kubectl apply --server-side -k config/crd"},
		"another schema": {func(o map[string]client.Object, _ *apiserver.Server) {
			o["sweeps"] = definition(t, "policysweeps", func(spec, _ map[string]any) {
				spec["versions"].([]any)[0].(map[string]any)["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)["description"] = "old"
			})
		}, "definitions", doctor.Warn, "the schema of policysweeps is another one", "kubectl apply --server-side -k config/crd"},
		"objects of another version": {func(o map[string]client.Object, _ *apiserver.Server) {
			o["sweeps"] = definition(t, "policysweeps", func(_, status map[string]any) { status["storedVersions"] = []any{"v1alpha0", "v1alpha1"} })
		}, "definitions", doctor.Warn, "are stored as [v1alpha0 v1alpha1]", ""},
		"a missing right": {func(_ map[string]client.Object, s *apiserver.Server) { s.Denied = []string{"get//configmaps"} }, "rights", doctor.Fail, "you may not get configmaps in namespace n", "--clusterrole=view"},
		"a right to create": {func(_ map[string]client.Object, s *apiserver.Server) {
			s.Denied = []string{"create/sim.windtunnel.dev/policysweeps"}
		}, "rights", doctor.Warn, "you may not create policysweeps", "--clusterrole=edit"},
		"no manager": {func(o map[string]client.Object, _ *apiserver.Server) { delete(o, "manager") }, "manager", doctor.Fail, "there is no manager", "config/default"},
		"a manager that is not ready": {func(o map[string]client.Object, _ *apiserver.Server) {
			o["manager"].(*appsv1.Deployment).Status.ReadyReplicas = 0
		},
			"manager", doctor.Fail, "windtunnel-system/windtunnel-manager is not ready", "kubectl describe deployment windtunnel-manager -n windtunnel-system"},
		"no account": {func(o map[string]client.Object, _ *apiserver.Server) { delete(o, "account") }, "worker account", doctor.Fail, "has no ServiceAccount windtunnel-worker", "kubectl get serviceaccounts"},
		"another role": {func(o map[string]client.Object, _ *apiserver.Server) {
			o["binding"].(*rbacv1.RoleBinding).RoleRef.Name = "x"
		}, "worker account", doctor.Fail, "refers to ClusterRole x", "kubectl delete rolebinding"},
		"a closed network": {func(o map[string]client.Object, _ *apiserver.Server) { o["deny"] = isolation("deny") }, "network policies", doctor.Fail, "keep worker pods of namespace n from the API server (TCP 443 and 6443), so that no results come: deny", "config/network-policy/worker"},
		"another port":     {func(o map[string]client.Object, _ *apiserver.Server) { o["deny"] = isolation("deny", 5432) }, "network policies", doctor.Fail, "deny", ""},
		"an open port": {func(o map[string]client.Object, _ *apiserver.Server) {
			o["deny"], o["allow"] = isolation("deny"), isolation("allow", 6443)
		}, "network policies", doctor.OK, "may connect", ""},
		"a quota of pods":   {func(o map[string]client.Object, _ *apiserver.Server) { o["q"] = quota("pods", "5", "5") }, "quotas", doctor.Fail, "leaves 0 of pods, and a worker pod needs 1", "kubectl describe resourcequota quota"},
		"a quota of memory": {func(o map[string]client.Object, _ *apiserver.Server) { o["q"] = quota("limits.memory", "10Gi", "9Gi") }, "quotas", doctor.Fail, "leaves 1Gi of limits.memory, and a worker pod needs 2Gi", ""},
		"a quota with room": {func(o map[string]client.Object, _ *apiserver.Server) { o["q"] = quota("requests.cpu", "4", "1") }, "quotas", doctor.OK, "leave room", ""},
		"a limit": {func(o map[string]client.Object, _ *apiserver.Server) {
			o["l"] = &corev1.LimitRange{ObjectMeta: inN("small"), Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{bound}}}
		}, "limits", doctor.Fail, "allows at most 1Gi of memory, and a worker's limit is 2Gi", "kubectl describe limitrange small"},
		"a webhook without pods": {func(o map[string]client.Object, _ *apiserver.Server) {
			o["w"] = hook("pods", admissionregistrationv1.Fail)
		}, "webhooks", doctor.Fail, "no pod answers webhook guard.example.com of guard (service guard/guard)", "kubectl get pods -n guard"},
		"a webhook of other objects": {func(o map[string]client.Object, _ *apiserver.Server) {
			o["w"] = hook("ingresses", admissionregistrationv1.Fail)
		}, "webhooks", doctor.OK, "", ""},
		"a webhook that may fail": {func(o map[string]client.Object, _ *apiserver.Server) {
			o["w"] = hook("pods", admissionregistrationv1.Ignore)
		}, "webhooks", doctor.OK, "", ""},
		"a webhook with pods": {func(o map[string]client.Object, _ *apiserver.Server) {
			o["w"] = hook("pods", admissionregistrationv1.Fail)
			o["e"] = &discoveryv1.EndpointSlice{ObjectMeta: metav1.ObjectMeta{Name: "e", Namespace: "guard", Labels: map[string]string{discoveryv1.LabelServiceName: "guard"}}, Endpoints: []discoveryv1.Endpoint{{Addresses: []string{"10.0.0.1"}}}}
		}, "webhooks", doctor.OK, "", ""},
		"results of another engine": {func(o map[string]client.Object, _ *apiserver.Server) {
			old := aSweep("old", "Ready=True/Complete")
			old.Status.EngineVersion = "3"
			stored(t, "old", &old.Status.CommonStatus, experiment.Simulation{Row: result.Row{Key: "k", Share: 1}})
			o["old"] = old
		}, "results", doctor.Warn, "1 object has results of another engine", ""},
		"a check that cannot look": {func(_ map[string]client.Object, s *apiserver.Server) { _ = s }, "manager", doctor.CannotRun, "list the Deployments", ""},
	} {
		t.Run(name, func(t *testing.T) {
			objects := healthy(t)
			s := &apiserver.Server{}
			tc.change(objects, s)
			var all []client.Object
			for _, o := range objects {
				all = append(all, o)
			}
			server := apiserver.New(t, controllers.Scheme(), all...)
			server.Denied = s.Denied
			if tc.level == doctor.CannotRun {
				server.Forget("deployments")
			}
			found, err := findingsOf(t)
			if want := map[bool]int{true: cli.ExitFailed, false: cli.ExitOK}[tc.level == doctor.Fail]; cli.ExitCode(err) != want {
				t.Errorf("exit code %d, want %d: %+v", cli.ExitCode(err), want, found)
			}
			for _, f := range found {
				level := doctor.OK
				if f.Check == tc.check {
					level = tc.level
				}
				if f.Level != level || f.Check == tc.check && (!strings.Contains(f.Message, tc.want) || !strings.Contains(f.Mend, tc.mend)) {
					t.Errorf("%+v, want %s: %q, mended by %q", f, level, tc.want, tc.mend)
				}
			}
			if len(found) < 12 {
				t.Errorf("%d findings: %+v", len(found), found)
			}
		})
	}
}

func TestDoctorWithoutACluster(t *testing.T) {
	out, _, err := plugin(t, "doctor", "--kubeconfig", "/nowhere")
	if cli.ExitCode(err) != cli.ExitFailed || !strings.Contains(out, "fail        kubeconfig: find the cluster: ") || !strings.Contains(out, "            kubectl windtunnel doctor --local\n") {
		t.Errorf("exit code %d:\n%s", cli.ExitCode(err), out)
	}
	if out := mustPlugin(t, "doctor", "--local"); !strings.Contains(out, "ok          fence: ") || !strings.Contains(out, "engine "+simulator.EngineVersion) {
		t.Error(out)
	}
	s := apiserver.New(t, controllers.Scheme())
	raw := cmdtest.TextOf(t, s.Kubeconfig)
	gone := cmdtest.TempFile(t, "kubeconfig", strings.Replace(raw, "server: http://127.0.0.1:", "server: http://127.0.0.1:1", 1))
	out, _, err = plugin(t, "doctor", "--kubeconfig", gone)
	if cli.ExitCode(err) != cli.ExitFailed || !strings.Contains(out, "the API server of the kubeconfig does not answer") || strings.Contains(out, "definitions") {
		t.Errorf("exit code %d:\n%s", cli.ExitCode(err), out)
	}
}
