// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

const (
	probeImage     = "windtunnel-probe:dev"
	unlabelledPods = "{}"
	workers        = "{app.kubernetes.io/name: windtunnel, app.kubernetes.io/component: worker}"

	reached, timeout, refused = "reached", "timeout", "connection refused"
)

// TestNetworkPolicies looks from inside pods at whom the policies let them reach. A
// worker reaches the API server and nothing else, and nobody reaches it; the manager is
// reached for its metrics and probes and nothing else.
func TestNetworkPolicies(t *testing.T) {
	t.Parallel()
	if !usesOwnCluster() || os.Getenv("POLICIES") == "off" {
		t.Skip("nobody knows whether this cluster enforces policies")
	}
	loadProbe(t)
	ns := newNamespace(t)
	ns.serve(t, "stranger", unlabelledPods)
	ns.serve(t, "worker", workers)
	api := ns.kubectl(t, "get", "service", "kubernetes", "-n", "default", "-o", "jsonpath={.spec.clusterIP}") + ":443"
	node := ns.kubectl(t, "get", "nodes", "-o", `jsonpath={.items[0].status.addresses[?(@.type=="InternalIP")].address}`)
	managerIP := namespace(systemNamespace).kubectl(t, "get", "pods", "-l", "app.kubernetes.io/component=manager", "-o", "jsonpath={.items[0].status.podIP}")
	metrics, probes, nothing := managerIP+":8443", managerIP+":8081", managerIP+":9999"
	stranger, worker, kubelet := ns.podIP(t, "stranger")+":8080", ns.podIP(t, "worker")+":8080", node+":10250"

	ns.checkReach(t, "worker-before", workers, map[string]string{
		api: reached, node + ":6443": reached, stranger: reached, kubelet: reached, metrics: reached, nothing: refused,
	})
	ns.checkReach(t, "stranger-before", unlabelledPods, map[string]string{worker: reached, nothing: refused})

	ns.kubectl(t, "apply", "-k", root+"/config/network-policy/worker")
	system := namespace(systemNamespace)
	system.kubectl(t, "apply", "-f", root+"/config/network-policy/manager.yaml")
	t.Cleanup(func() { system.kubectl(t, "delete", "-f", root+"/config/network-policy/manager.yaml") })

	ns.checkReach(t, "worker-after", workers, map[string]string{
		api: reached, node + ":6443": reached, stranger: timeout, kubelet: timeout, metrics: timeout, nothing: timeout,
	})
	ns.checkReach(t, "stranger-after", unlabelledPods, map[string]string{
		stranger: reached, worker: timeout, metrics: reached, probes: reached, nothing: timeout,
	})
	// Where the policy names who may come, nobody else does.
	system.kubectl(t, "patch", "networkpolicy/windtunnel-manager", "--type=json", `--patch=[{"op": "add", "path": "/spec/ingress/0/from",
		"value": [{"namespaceSelector": {}, "podSelector": {"matchLabels": {"app": "prometheus"}}}]}]`)
	ns.checkReach(t, "prometheus", "{app: prometheus}", map[string]string{metrics: reached})
	ns.checkReach(t, "stranger-then", unlabelledPods, map[string]string{metrics: timeout})
	// Real workers and the manager get along with that.
	ns.apply(t, sample(t, gatesSample))
	ns.wait(t, "Complete", "policysweep/gates")
}

// loadProbe builds the program of the probing pods and loads it into the node.
func loadProbe(t *testing.T) {
	t.Helper()
	loadProgram(t, "./test/e2e/probe", probeImage)
}

// probe starts a pod of the probing program.
func (ns namespace) probe(t *testing.T, name, labels string, args ...string) {
	t.Helper()
	ns.apply(t, fmt.Appendf(nil, `
apiVersion: v1
kind: Pod
metadata: {name: %s, labels: %s}
spec:
  restartPolicy: Never
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 1
  securityContext: {runAsNonRoot: true, runAsUser: 65532, seccompProfile: {type: RuntimeDefault}}
  containers:
  - name: probe
    image: %s
    imagePullPolicy: Never
    args: ["%s"]
    securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
`, name, labels, probeImage, strings.Join(args, `", "`)))
}

// serve starts a pod that accepts connections.
func (ns namespace) serve(t *testing.T, name, labels string) {
	t.Helper()
	ns.probe(t, name, labels, "serve", ":8080")
	ns.wait(t, "Ready", "pod/"+name)
}

func (ns namespace) podIP(t *testing.T, name string) string {
	t.Helper()
	return ns.kubectl(t, "get", "pod", name, "-o", "jsonpath={.status.podIP}")
}

// checkReach has pods with the labels connect to addresses, and checks what comes of
// it. What should have been reached is tried again: a manager on a busy machine loses
// its lease and starts anew. What should not have been is not.
func (ns namespace) checkReach(t *testing.T, name, labels string, want map[string]string) {
	t.Helper()
	for try := range 3 {
		told := ns.dial(t, fmt.Sprintf("%s-%d", name, try), labels, slices.Sorted(maps.Keys(want)))
		again := false
		for address, outcome := range want {
			switch {
			case strings.HasSuffix(told[address], outcome):
			case outcome == reached && try < 2:
				again = true
			default:
				t.Errorf("%s connects to %s: %q, want %q", name, address, told[address], outcome)
			}
		}
		if !again {
			return
		}
	}
}

// dial has a pod connect to addresses, and returns what came of each.
func (ns namespace) dial(t *testing.T, name, labels string, addresses []string) map[string]string {
	t.Helper()
	ns.probe(t, name, labels, append([]string{"dial"}, addresses...)...)
	ns.kubectl(t, "wait", "--for=jsonpath={.status.phase}=Succeeded", "--timeout="+patience.String(), "pod/"+name)
	told := map[string]string{}
	for line := range strings.Lines(ns.kubectl(t, "logs", name)) {
		address, outcome, _ := strings.Cut(strings.TrimSpace(line), " ")
		told[address] = outcome
	}
	return told
}
