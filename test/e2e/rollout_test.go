// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"strings"
	"testing"
)

const (
	gatesSample   = "policysweep-gates.yaml"
	defaultSample = "policysweep-llm-d-default.yaml"
)

// TestPromoteAndFollow takes a sweep from apply to what is to be rolled out.
func TestPromoteAndFollow(t *testing.T) {
	t.Parallel()
	ns := newNamespace(t)
	ns.apply(t, edited(t, sample(t, gatesSample), "gates", func(spec map[string]any) {
		spec["follow"] = map[string]any{"best": 2}
	}))
	ns.wait(t, "Complete", "policysweep/gates")
	ns.wait(t, "Passed", "policysweep/gates")
	o := ns.get(t, "policysweep/gates")
	o.checkComplete(t)

	if o.Status.Promoted != "gates-promoted" {
		t.Fatalf("promoted is %q", o.Status.Promoted)
	}
	promoted := ns.kubectl(t, "get", "configmap", o.Status.Promoted, "-o", "jsonpath={.data}")
	for _, want := range []string{"report.md", "EndpointPickerConfig", "prefix-cache-scorer"} {
		if !strings.Contains(promoted, want) {
			t.Errorf("ConfigMap %s has no %s:\n%s", o.Status.Promoted, want, promoted)
		}
	}
	board := ns.kubectl(t, "get", "configmap", o.Status.Leaderboard, "-o", `jsonpath={.data.leaderboard\.txt}`)
	if !strings.Contains(board, "prefix=") && !strings.Contains(board, "PREFIX") && !strings.Contains(board, "prefix") {
		t.Errorf("the leaderboard does not name the parameters:\n%s", board)
	}

	if len(o.Status.Followed) != 2 {
		t.Fatalf("followed is %q", o.Status.Followed)
	}
	for _, name := range o.Status.Followed {
		ns.wait(t, "Complete", "simulationrun/"+name)
		ns.get(t, "simulationrun/"+name).checkComplete(t)
	}
}

// TestReuse applies a sweep that another one has simulated already: nothing runs.
func TestReuse(t *testing.T) {
	t.Parallel()
	ns := newNamespace(t)
	ns.apply(t, edited(t, sample(t, defaultSample), "first", nil))
	ns.wait(t, "Complete", "policysweep/first")
	ns.apply(t, edited(t, sample(t, defaultSample), "second", func(spec map[string]any) {
		spec["reuseFrom"] = []any{"first"}
	}))
	ns.wait(t, "Complete", "policysweep/second")
	first, second := ns.get(t, "policysweep/first"), ns.get(t, "policysweep/second")
	second.checkComplete(t)
	if second.Status.Progress.Reused != second.Status.Progress.Total {
		t.Errorf("%d of %d simulations were reused", second.Status.Progress.Reused, second.Status.Progress.Total)
	}
	if first.Status.Results.Digest != second.Status.Results.Digest {
		t.Errorf("the results differ: %s and %s", first.Status.Results.Digest, second.Status.Results.Digest)
	}
	if jobs := ns.kubectl(t, "get", "jobs", "-l", "sim.windtunnel.dev/name=second", "-o", "name"); jobs != "" {
		t.Errorf("Jobs were run for results that are there: %s", jobs)
	}
}

// TestDeletion deletes a sweep in the ways that there are: all that it made goes
// with it, unless it is to be orphaned.
func TestDeletion(t *testing.T) {
	t.Parallel()
	for _, cascade := range []string{"background", "foreground"} {
		t.Run(cascade, func(t *testing.T) {
			t.Parallel()
			ns := newNamespace(t)
			ns.apply(t, sample(t, gatesSample))
			ns.wait(t, "Complete", "policysweep/gates")
			ns.kubectl(t, "delete", "policysweep/gates", "--cascade="+cascade, "--timeout=2m")
			if cascade == "foreground" {
				// The deletion waited for all but the results, which the workers made.
				if left := ns.kubectl(t, "get", "jobs,pods,simulationruns", "-o", "name"); left != "" {
					t.Errorf("the sweep was gone before\n%s", left)
				}
			}
			for _, kind := range []string{"jobs", "pods", "configmaps"} {
				ns.kubectl(t, "wait", "--for=delete", "--timeout=2m", kind, "-l", "sim.windtunnel.dev/name=gates")
			}
			left := ns.kubectl(t, "get", "jobs,pods,configmaps,simulationruns", "-o", "name")
			if want := "configmap/kube-root-ca.crt"; strings.TrimSpace(left) != want {
				t.Errorf("left after a deletion:\n%s", left)
			}
		})
	}
	t.Run("orphan", func(t *testing.T) {
		t.Parallel()
		ns := newNamespace(t)
		ns.apply(t, sample(t, gatesSample))
		ns.wait(t, "Complete", "policysweep/gates")
		index := ns.get(t, "policysweep/gates").Status.Results.Index
		ns.kubectl(t, "delete", "policysweep/gates", "--cascade=orphan", "--timeout=2m")
		if owners := ns.kubectl(t, "get", "configmap", index, "-o", "jsonpath={.metadata.ownerReferences}"); owners != "" {
			t.Errorf("the results that were to stay still belong to %s", owners)
		}
	})
}

// TestNamespaceDeletion deletes a namespace in which sweeps are complete, run and lose
// pods: all goes with it, and nobody has to delete them before.
func TestNamespaceDeletion(t *testing.T) {
	t.Parallel()
	ns := newNamespace(t)
	ns.apply(t, sample(t, gatesSample))
	ns.wait(t, "Complete", "policysweep/gates")
	ns.apply(t, storm("storm", 5, 6, stormRequests, 1, slow))
	ns.apply(t, hungryStorm("hungry"))
	ns.eventually(t, "policysweep/storm", "running", running)
	ns.eventually(t, "policysweep/hungry", "losing pods", func(*object) bool {
		failed, err := ns.try("get", "pods", "--field-selector=status.phase=Failed", "-o", "name")
		return err == nil && failed != ""
	})
	if o := ns.get(t, "policysweep/storm"); !running(o) {
		t.Errorf("nothing runs any more: %+v", o.Status)
	}
	if _, err := command("kubectl", "delete", "namespace", string(ns), "--timeout=2m"); err != nil {
		t.Errorf("%v\n%s", err, ns.kubectl(t, "get", "namespace", string(ns), "-o", "jsonpath={.status.conditions}"))
	}
}
