// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// TestThePluginLeadsFromAFailedGateToTheRequest runs a sweep whose gate fails, and then the
// commands that the output of the plugin names, from the state that kubectl get prints on.
func TestThePluginLeadsFromAFailedGateToTheRequest(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	sweep := weights().Obj()
	sweep.Spec.Replications.Seeds = []int64{1, 2, 3}
	sweep.Spec.Gates = []v1alpha1.Gate{{Name: "quick", Metric: "ttft.mean", Operator: v1alpha1.AtMost, Value: "1us", Confidence: "0.95"}}
	p.create(t, ns, sweep)
	p.until(t, sweep, v1alpha1.ConditionComplete)
	plugin := p.plugin(t)

	// Nothing is stored yet: the output names the command that stores it, and the one after it.
	_, out := plugin("explain", "weights", "-n", ns)
	patch := regexp.MustCompile(`kubectl patch policysweep/weights -n \S+ --type merge -p '(.*)'`).FindStringSubmatch(out)
	if patch == nil || !strings.Contains(out, "gate quick: fail: ") {
		t.Fatalf("no command stores decisions:\n%s", out)
	}
	edit(t, p, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Follow = &v1alpha1.Follow{Best: 1} })
	if want := `{"spec":{"follow":{"best":1}}}`; patch[1] != want {
		t.Errorf("the patch is %s, want %s", patch[1], want)
	}
	follower := &v1alpha1.SimulationRun{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "weights-best-1"}}
	eventually(t, func() string {
		if err := p.client.Get(t.Context(), client.ObjectKeyFromObject(follower), follower); err != nil {
			return err.Error()
		}
		return ""
	})
	p.until(t, follower, v1alpha1.ConditionComplete)
	if exit, out := plugin("watch", "policysweep/weights", "-n", ns); exit != 1 || !strings.Contains(out, "next: kubectl windtunnel explain policysweep/weights -n "+ns) {
		t.Errorf("watch ends with %d:\n%s", exit, out)
	}

	_, out = plugin("top", "-n", ns)
	typed := 1
	for !strings.Contains(out, "It completed") {
		next := regexp.MustCompile(`(?m)^next: kubectl windtunnel (.*)$`).FindStringSubmatch(out)
		if next == nil || typed == 4 {
			t.Fatalf("after %d commands the output names no next one:\n%s", typed, out)
		}
		t.Logf("kubectl windtunnel %s", next[1])
		_, out = plugin(strings.Fields(next[1])...)
		typed++
	}
	if !strings.HasPrefix(out, "SimulationRun weights-best-1\n\nrequest ") {
		t.Errorf("the decision is\n%s", out)
	}
	if exit, out := plugin("doctor", "-n", ns); !strings.Contains(out, "ok          definitions: ") || !strings.Contains(out, "ok          rights: ") || !strings.Contains(out, "ok          worker account: ") {
		t.Errorf("doctor ends with %d:\n%s", exit, out)
	}
}

// plugin returns what runs the binary under the name that kubectl looks for, as an administrator.
func (p *platform) plugin(t *testing.T) func(args ...string) (exit int, out string) {
	t.Helper()
	folder := t.TempDir()
	program, kubeconfig := filepath.Join(folder, "kubectl-windtunnel"), filepath.Join(folder, "kubeconfig")
	if err := os.Symlink(p.binary, program); err != nil {
		t.Fatal(err)
	}
	user, err := p.env.AddUser(envtest.User{Name: "reader", Groups: []string{"system:masters"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := user.KubeConfig()
	if err != nil {
		t.Fatal(err)
	}
	testfile.Write(t, kubeconfig, raw)
	return func(args ...string) (int, string) {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
		out, _ := cmd.CombinedOutput() // the exit code says it
		return cmd.ProcessState.ExitCode(), string(out)
	}
}
