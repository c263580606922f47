// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	eppImage = "windtunnel-epp:dev"
	// eppVariable names a real EPP, the program cmd/epp of llm-d-router, which takes the place of ./epp.
	eppVariable = "EPP_BINARY"
)

// liveRun is a run of a number of seconds, before two replicas of the smallest size that a node of two cores takes.
func liveRun(name string, seconds int) []byte {
	return fmt.Appendf(nil, `
apiVersion: sim.windtunnel.dev/v1alpha1
kind: SimulationRun
metadata: {name: %s}
spec:
  scenario:
    horizon: {duration: %ds}
    pools: [{name: llama, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, replicas: 2}]
    router:
      endpointPickerConfig:
        version: router-v0.10
        inline: |
          apiVersion: llm-d.ai/v1alpha1
          kind: EndpointPickerConfig
          plugins: [{type: queue-scorer}, {type: max-score-picker}, {type: single-profile-handler}]
          schedulingProfiles: [{name: default, plugins: [{pluginRef: queue-scorer}, {pluginRef: max-score-picker}]}]
    workload:
      clients:
      - name: chat
        arrivals: {process: Poisson, rate: "5"}
        inputTokens: {distribution: Constant, mean: "256"}
        outputTokens: {distribution: Constant, mean: "32"}
  replications: {seed: 7}
  execution:
    live: {image: %s}
    resources: {requests: {cpu: 50m, memory: 64Mi}, limits: {cpu: "1", memory: 512Mi}}
`, name, seconds, eppImage)
}

// withPriority gives all requests of a run a priority: the EPP then reads Kubernetes, which the pod plays.
func withPriority(run []byte) []byte {
	return bytes.Replace(run, []byte("- name: chat\n"), []byte("- name: chat\n        priority: 5\n"), 1)
}

// ofRun selects what the operator made for a run.
func ofRun(name string) string { return "sim.windtunnel.dev/name=" + name }

// autoscaler has the replicas of run scaled be three, as the one that KEDA makes of a ScaledObject with this
// minReplicaCount: a cluster without metrics follows it, too.
const autoscaler = `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: scaled}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: scaled-llama}
  minReplicas: 3
  maxReplicas: 4
`

// TestLiveRuns runs an EPP before replicas in pods: a rehearsal, a run whose replicas a HorizontalPodAutoscaler
// scales, and one that is deleted in the middle.
func TestLiveRuns(t *testing.T) {
	t.Parallel()
	if !usesOwnCluster() {
		t.Skip("its nodes may not have the EPP's image")
	}
	loadEPP(t)
	loadProbe(t)
	serveNames(t)
	ns := newNamespace(t)

	file := filepath.Join(t.TempDir(), "run.yaml")
	writeFile(t, file, liveRun("steady", 20))
	said, err := command(root+"/bin/windtunnel", "rehearse", "-f", file, "--epp", eppImage, "-n", string(ns))
	if err != nil && !strings.Contains(err.Error(), "not within the limits") { // which a busy machine may not reach
		t.Fatal(err)
	}
	if !strings.Contains(said, "equal or tied (at least 99.00 %)") || !strings.Contains(said, "engineTtft.p50") {
		t.Errorf("rehearse prints\n%s", said)
	}
	t.Logf("rehearse prints\n%s", said)
	ns.checkNothingServes(t)

	seconds := 60
	if hasKEDA() {
		seconds = 90 // its metric comes later
	}
	ns.apply(t, withPriority(liveRun("scaled", seconds)))
	ns.awaitLoad(t, "scaled")
	ns.scale(t)
	ns.wait(t, "Complete", "simulationrun/scaled")
	if said = ns.get(t, "simulationrun/scaled").rehearsed(); !strings.Contains(said, "decisions are not compared, as the number of replicas changed: 2, then 3") {
		t.Errorf("Rehearsed says %q", said)
	}
	t.Logf("scaled: %s", said)
	ns.endScaling(t)
	ns.checkNothingServes(t)

	ns.apply(t, liveRun("killed", 600))
	ns.awaitLoad(t, "killed")
	ns.checkLiveReach(t, "killed")
	ns.kubectl(t, "delete", "simulationrun/killed")
	ns.kubectl(t, "wait", "--for=delete", "--timeout="+patience.String(), "deployments,services,networkpolicies,jobs,pods,configmaps", "-l", ofRun("killed"))
}

// scaledObject scales the replicas of run scaled by the requests that run in them, which KEDA may read.
const scaledObject = `
apiVersion: v1
kind: Service
metadata: {name: engines}
spec:
  clusterIP: None
  selector: {sim.windtunnel.dev/name: scaled, app.kubernetes.io/component: engine}
  ports: [{port: 8000}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: keda}
spec:
  podSelector: {matchLabels: {app.kubernetes.io/component: engine}}
  policyTypes: [Ingress]
  ingress:
  - from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: keda}}}]
    ports: [{port: 8000}]
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: scaled}
spec:
  scaleTargetRef: {name: scaled-llama}
  pollingInterval: 5
  minReplicaCount: 2
  maxReplicaCount: 3
  triggers:
  - type: metrics-api
    metadata:
      url: http://engines.NAMESPACE.svc:8000/metrics
      format: prometheus
      valueLocation: vllm:num_requests_running
      aggregateFromKubeServiceEndpoints: "true"
      aggregationType: sum
      targetValue: "0.4"  # of a replica: one request in all asks for three
`

// hasKEDA says whether the cluster has KEDA: make e2e KEDA=1 installs it.
func hasKEDA() bool {
	_, err := command("kubectl", "get", "crd", "scaledobjects.keda.sh")
	return err == nil
}

// scale has an autoscaler scale the replicas of run scaled from two to three, that of KEDA where the cluster has it.
func (ns namespace) scale(t *testing.T) {
	t.Helper()
	if hasKEDA() {
		ns.apply(t, []byte(strings.ReplaceAll(scaledObject, "NAMESPACE", string(ns))))
	} else {
		ns.apply(t, []byte(autoscaler))
	}
}

// endScaling deletes the autoscaler. That of KEDA must have scaled by what the replicas said.
func (ns namespace) endScaling(t *testing.T) {
	t.Helper()
	if !hasKEDA() {
		ns.kubectl(t, "delete", "horizontalpodautoscaler/scaled")
		return
	}
	said := ns.kubectl(t, "get", "events", "--field-selector", "involvedObject.kind=HorizontalPodAutoscaler,reason=SuccessfulRescale", "-o", "jsonpath={.items[*].message}")
	if !strings.Contains(said, "New size: 3; reason: external metric s0-metric-api") {
		t.Errorf("the autoscaler says %q", said)
	}
	t.Logf("KEDA: %s", said)
	ns.kubectl(t, "delete", "scaledobject/scaled", "service/engines", "networkpolicy/keda")
}

// rehearsed is the message of the condition Rehearsed.
func (o *object) rehearsed() string {
	for _, c := range o.Status.Conditions {
		if c.Type == "Rehearsed" {
			return c.Message
		}
	}
	return ""
}

// awaitLoad waits until the worker of a run sends its load.
func (ns namespace) awaitLoad(t *testing.T, run string) {
	t.Helper()
	ns.eventually(t, "simulationrun/"+run, "reconciled", func(*object) bool {
		running, err := ns.try("get", "pods", "-l", ofRun(run)+",app.kubernetes.io/component=worker", "-o", "jsonpath={.items[*].status.containerStatuses[*].state.running.startedAt}")
		return err == nil && running != ""
	})
}

// checkNothingServes checks that no run has anything left that serves.
func (ns namespace) checkNothingServes(t *testing.T) {
	t.Helper()
	ns.kubectl(t, "wait", "--for=delete", "--timeout="+patience.String(), "deployments,services,networkpolicies,pods", "-l", "app.kubernetes.io/component=engine")
}

// checkLiveReach checks that a run reaches its replicas and no other namespace, and that no other one reaches
// its replicas.
func (ns namespace) checkLiveReach(t *testing.T, run string) {
	t.Helper()
	if os.Getenv("POLICIES") == "off" {
		return
	}
	other := newNamespace(t)
	other.serve(t, "other", unlabelledPods)
	first := func(kind, labels, path string) string {
		return ns.kubectl(t, "get", kind, "-l", ofRun(run)+labels, "-o", "jsonpath={.items[0]"+path+"}")
	}
	engine := first("pods", ",app.kubernetes.io/component=engine", ".status.podIP") + ":8000"
	live := "{batch.kubernetes.io/job-name: " + first("jobs", "", ".metadata.name") + "}"
	elsewhere := other.podIP(t, "other") + ":8080"
	ns.checkReach(t, "live", live, map[string]string{engine: reached, elsewhere: timeout})
	ns.checkReach(t, "neighbour", unlabelledPods, map[string]string{engine: reached, elsewhere: reached})
	other.checkReach(t, "tenant", unlabelledPods, map[string]string{engine: timeout})
}

// loadEPP loads the image of the EPP into the node.
func loadEPP(t *testing.T) {
	t.Helper()
	if real := os.Getenv(eppVariable); real != "" {
		loadImage(t, real, "/epp", eppImage)
		return
	}
	loadProgram(t, "./test/e2e/epp", eppImage)
}

// loadProgram builds a program and loads an image of it into the node.
func loadProgram(t *testing.T, of, tag string) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), filepath.Base(of))
	if _, err := command("env", "CGO_ENABLED=0", "GOOS=linux", "go", "build", "-C", root, "-trimpath", "-o", binary, of); err != nil {
		t.Fatal(err)
	}
	loadImage(t, binary, "/"+filepath.Base(of), tag)
}

// loadImage loads an image of a program into the node.
func loadImage(t *testing.T, binary, entrypoint, tag string) {
	t.Helper()
	archive := filepath.Join(t.TempDir(), "image.tar")
	if _, err := command("go", "run", "-C", filepath.Join(root, "hack", "image"), ".", "-binary", binary, "-entrypoint", entrypoint, "-tag", tag, "-output", archive); err != nil {
		t.Fatal(err)
	}
	node(t, "load-image", archive)
}
