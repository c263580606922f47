// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

// content is what objects say, for comparison.
func content(all objects) map[string]any {
	plain := map[string]any{}
	for k, o := range all {
		plain[k] = o.Object
	}
	return plain
}

// TestTheChartGivesTheManifests compares what the chart makes with what kustomize
// makes, object by object. Only the namespace is left to whoever runs helm.
func TestTheChartGivesTheManifests(t *testing.T) {
	without := func(all objects, kind string) objects {
		for k, o := range all {
			if o.GetKind() == kind {
				delete(all, k)
			}
		}
		return all
	}
	for name, tc := range map[string]struct {
		want objects
		args []string
	}{
		"default values": {
			want: kustomized(t, root+"/config/default"),
		},
		"every component": {
			want: overlay(t, "high-availability", "network-policy", "web", "dashboard", "flagger"),
			args: []string{"--set", "manager.replicas=2,networkPolicy.enabled=true,web.enabled=true,web.dashboard=true,flagger.enabled=true"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := without(tc.want, "Namespace")
			got := templated(t, append(tc.args, "--set", "crds.keep=false")...)
			if diff := cmp.Diff(content(want), content(got)); diff != "" {
				t.Errorf("objects (-kustomize +helm):\n%s", diff)
			}
			if len(got) < 15 {
				t.Errorf("%d objects; something is not compared", len(got))
			}
		})
	}
}

// TestTheChartGivesTheEngine compares what the value engine adds with config/engine.
func TestTheChartGivesTheEngine(t *testing.T) {
	want := objects{}
	for _, o := range kustomized(t, root+"/config/engine") {
		if o.GetKind() != "Namespace" {
			o.SetNamespace(namespace)
			want[key(o.GetKind(), namespace, o.GetName())] = o
		}
	}
	got := templated(t, "--set", "engine.enabled=true")
	for k := range templated(t) {
		delete(got, k)
	}
	if diff := cmp.Diff(content(want), content(got)); diff != "" {
		t.Errorf("objects (-kustomize +helm):\n%s", diff)
	}
}

func TestTheEngineServesAScenarioOfItsOwn(t *testing.T) {
	got := templated(t, "--set", "engine.enabled=true,engine.replicas=2,engine.scenario=kind: SimulationRun")
	engine := as[appsv1.Deployment](t, got[key("Deployment", namespace, "engine")])
	name := engine.Spec.Template.Spec.Volumes[0].ConfigMap.Name
	scenario := as[corev1.ConfigMap](t, got[key("ConfigMap", namespace, name)])
	if *engine.Spec.Replicas != 2 || scenario.Data["scenario.yaml"] != "kind: SimulationRun" {
		t.Errorf("%d replicas serve %q", *engine.Spec.Replicas, scenario.Data)
	}
}

func TestTheWorkersPolicyIsTheSame(t *testing.T) {
	all := kustomized(t, root+"/config/network-policy/worker")
	got := templated(t, "--set", "networkPolicy.enabled=true,networkPolicy.workerNamespaces={team-a,team-b}")
	for _, name := range []string{"windtunnel-worker", "windtunnel-proposer"} {
		want := all[key("NetworkPolicy", "", name)]
		want.SetNamespace("team-a")
		if diff := cmp.Diff(want.Object, got[key("NetworkPolicy", "team-a", name)].Object); diff != "" {
			t.Errorf("the policy %s (-kustomize +helm):\n%s", name, diff)
		}
		if got[key("NetworkPolicy", "team-b", name)] == nil {
			t.Errorf("the second namespace has no policy %s", name)
		}
	}
}

// Webhooks of Flagger have no authentication: of all policies together, only rules with a source
// allow their port, and each port of a policy is one of the pod.
func TestOnlyFlaggerReachesItsWebhooks(t *testing.T) {
	for name, all := range map[string]objects{
		"config": overlay(t, "network-policy", "web", "flagger"), "chart": templated(t, "--set", "networkPolicy.enabled=true,web.enabled=true,flagger.enabled=true"),
	} {
		ports := map[string]bool{}
		for k, o := range all {
			if k == key("Deployment", namespace, "windtunnel-manager") {
				for _, p := range as[appsv1.Deployment](t, o).Spec.Template.Spec.Containers[0].Ports {
					ports[p.Name] = true
				}
			}
		}
		policies := 0
		for _, o := range all {
			if o.GetKind() != "NetworkPolicy" {
				continue
			}
			policies++
			for _, rule := range as[networkingv1.NetworkPolicy](t, o).Spec.Ingress {
				for _, p := range rule.Ports {
					if !ports[p.Port.String()] {
						t.Errorf("%s: %s allows port %s, which the manager does not have", name, o.GetName(), p.Port)
					}
					if p.Port.String() == "flagger" && len(rule.From) == 0 {
						t.Errorf("%s: %s lets every pod reach the webhooks", name, o.GetName())
					}
				}
			}
		}
		if policies != 3 {
			t.Errorf("%s: %d policies, want 3", name, policies)
		}
	}
}

func TestTheChartIsLinted(t *testing.T) {
	out, err := helm(t, "lint", "--strict", "--kube-version", "1.34", chart)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out, "[WARNING]") || strings.Contains(out, "[ERROR]") {
		t.Error(out)
	}
}

func TestDefinitionsOutliveTheRelease(t *testing.T) {
	const policy = "helm.sh/resource-policy"
	kept := 0
	for _, o := range templated(t) {
		if o.GetKind() != "CustomResourceDefinition" {
			continue
		}
		if kept++; o.GetAnnotations()[policy] != "keep" {
			t.Errorf("%s goes with the release, and all objects of its kind with it", o.GetName())
		}
	}
	if kept != 2 {
		t.Errorf("%d CustomResourceDefinitions, want 2", kept)
	}
	for _, o := range templated(t, "--set", "crds.enabled=false") {
		if o.GetKind() == "CustomResourceDefinition" {
			t.Errorf("%s is there though nobody wants it", o.GetName())
		}
	}
}

// TestAReleaseIsInItsNamespace looks for what is still in that of config/default.
func TestAReleaseIsInItsNamespace(t *testing.T) {
	out, err := helm(t, "template", "windtunnel", chart, "--namespace", "elsewhere", "--set", "networkPolicy.enabled=true,manager.replicas=2,web.enabled=true,flagger.enabled=true")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out, namespace) {
		t.Errorf("something names %s", namespace)
	}
	for k, o := range decode(t, out) {
		if ns := o.GetNamespace(); ns != "" && ns != "elsewhere" {
			t.Errorf("%s is in namespace %s", k, ns)
		}
	}
}

// manager is the Deployment that the chart makes under values.
func manager(t *testing.T, args ...string) *appsv1.Deployment {
	t.Helper()
	return as[appsv1.Deployment](t, templated(t, args...)[key("Deployment", namespace, "windtunnel-manager")])
}

func TestValuesReachTheManager(t *testing.T) {
	d := manager(t, "--set", strings.Join([]string{
		"image.repository=registry.example:5000/team/windtunnel", "image.tag=v9",
		"imagePullSecrets[0].name=pull", "watchNamespace=team-a",
		"manager.replicas=3", "manager.concurrency=20", "manager.verbosity=4", "manager.extraArgs={--metrics-bind-address=0}",
		"manager.programLimits.cpuSeconds=60", "manager.programLimits.runSteps=50000000000",
		"manager.resources.limits.memory=1Gi", "manager.priorityClassName=high",
		"manager.nodeSelector.disk=ssd", "manager.tolerations[0].operator=Exists",
		"manager.podAnnotations.a=b", "manager.podLabels.team=platform", `manager.podLabels.app\.kubernetes\.io/name=other`,
	}, ","))
	pod := d.Spec.Template.Spec
	c := pod.Containers[0]
	const image = "registry.example:5000/team/windtunnel:v9"
	if env := c.Env[slices.IndexFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == "WINDTUNNEL_IMAGE" })]; c.Image != image || env.Value != image {
		t.Errorf("the manager runs %s and its workers %s, want %s", c.Image, env.Value, image)
	}
	wantArgs := []string{"manager", "--leader-elect", "--state-dir=/var/lib/windtunnel", "--namespace=team-a", "--concurrency=20", "--verbosity=4",
		"--program-limits=cpuSeconds=60", "--program-limits=runSteps=50000000000", "--metrics-bind-address=0"}
	if diff := cmp.Diff(wantArgs, c.Args); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	if got := c.Resources.Limits.Memory().String() + " " + c.Resources.Limits.Cpu().String(); got != "1Gi 1" {
		t.Errorf("limits are %s: what is not set stays, what is set counts", got)
	}
	if *d.Spec.Replicas != 3 || pod.PriorityClassName != "high" || pod.ImagePullSecrets[0].Name != "pull" ||
		pod.NodeSelector["disk"] != "ssd" || len(pod.Tolerations) != 1 || len(pod.TopologySpreadConstraints) != 1 {
		t.Errorf("the pod is %+v", pod)
	}
	labels := d.Spec.Template.Labels
	if labels["app.kubernetes.io/name"] != "windtunnel" || labels["team"] != "platform" || d.Spec.Template.Annotations["a"] != "b" {
		t.Errorf("labels %v, annotations %v; want those given, but the selector's own", labels, d.Spec.Template.Annotations)
	}
}

func TestADigestCountsInsteadOfATag(t *testing.T) {
	digest := "sha256:" + strings.Repeat("0123456789abcdef", 4)
	if got := manager(t, "--set", "image.tag=v9,image.digest="+digest).Spec.Template.Spec.Containers[0].Image; got != "windtunnel@"+digest {
		t.Errorf("the image is %s", got)
	}
}

func TestOneReplicaNeedsNoBudget(t *testing.T) {
	budget := key("PodDisruptionBudget", namespace, "windtunnel-manager")
	if templated(t)[budget] != nil {
		t.Error("one replica has a budget")
	}
	if templated(t, "--set", "manager.replicas=2,podDisruptionBudget.enabled=false")[budget] != nil {
		t.Error("there is a budget that nobody wants")
	}
}

func TestThePolicyNamesTheAPIServer(t *testing.T) {
	all := templated(t, "--set", "networkPolicy.enabled=true,networkPolicy.apiServerPorts={16443},networkPolicy.apiServerCIDRs={10.0.0.1/32}")
	egress := as[networkingv1.NetworkPolicy](t, all[key("NetworkPolicy", namespace, "windtunnel-manager")]).Spec.Egress[0]
	if len(egress.Ports) != 1 || egress.Ports[0].Port.IntValue() != 16443 || len(egress.To) != 1 || egress.To[0].IPBlock.CIDR != "10.0.0.1/32" {
		t.Errorf("the manager may reach %+v", egress)
	}
}

func TestTheSchemaRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ set, words string }{
		"a value that there is not":      {"replicas=2", "replicas"},
		"one that is misspelt":           {"manager.replica=2", "replica"},
		"a number in words":              {"manager.replicas=two", "/manager/replicas"},
		"no worker at all":               {"manager.concurrency=0", "/manager/concurrency"},
		"an image without a name":        {"image.repository=", "/image/repository"},
		"a tag in the name":              {"image.repository=windtunnel:v1", "/image/repository"},
		"a digest that is cut":           {"image.digest=sha256:0123", "/image/digest"},
		"a policy that there is not":     {"image.pullPolicy=Sometimes", "/image/pullPolicy"},
		"a manager without memory limit": {"manager.resources.limits.memory=null", "memory"},
		"a port out of range":            {"networkPolicy.apiServerPorts={70000}", "/networkPolicy/apiServerPorts"},
		"an address that is no range":    {"networkPolicy.apiServerCIDRs={10.0.0.1}", "/networkPolicy/apiServerCIDRs"},
		"a namespace in capitals":        {"watchNamespace=Team", "/watchNamespace"},
		"a limit of no steps":            {"manager.programLimits.callSteps=0", "/manager/programLimits/callSteps"},
		"a limit that there is not":      {"manager.programLimits.steps=5", "steps"},
		"an argument that is no flag":    {"manager.extraArgs={worker}", "/manager/extraArgs"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := helm(t, "template", "windtunnel", chart, "--set", tc.set)
			if err == nil || !strings.Contains(err.Error(), tc.words) {
				t.Errorf("--set %s: got %v, want a refusal that names %s", tc.set, err, tc.words)
			}
		})
	}
}

func TestAnOlderClusterIsRefused(t *testing.T) {
	if _, err := helm(t, "template", "windtunnel", chart, "--kube-version", "1.33"); err == nil || !strings.Contains(err.Error(), "1.34") {
		t.Errorf("got %v, want a refusal that names the oldest version", err)
	}
}

// The folder of the repository has no manifests: Helm says how to get a chart.
func TestTheFolderAloneIsRefused(t *testing.T) {
	_, err := helm(t, "template", "windtunnel", root+"/charts/windtunnel", "--kube-version", "1.34")
	if err == nil || !strings.Contains(err.Error(), "make chart") {
		t.Errorf("got %v, want a refusal that says how to pack the chart", err)
	}
}

// TestThePackedChartBearsTheTag packs the chart as a release and as any commit.
func TestThePackedChartBearsTheTag(t *testing.T) {
	for version, want := range map[string]string{
		"v1.2.3":       "version: 1.2.3\nappVersion: v1.2.3\n",
		"0123456789ab": "version: 0.1.0\nappVersion: dev\n",
	} {
		file := filepath.Join(t.TempDir(), "chart.tgz")
		if _, err := output(t, "make", "-s", "-C", root, "chart", "VERSION="+version, "CHART="+file); err != nil {
			t.Fatal(err)
		}
		text, err := helm(t, "show", "chart", file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(want) {
			if !strings.Contains(text, line) {
				t.Errorf("the chart of %s lacks %q:\n%s", version, line, text)
			}
		}
	}
}
