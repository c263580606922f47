// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSamples applies all samples at once, waits for them, and looks at what
// kubectl shows.
func TestSamples(t *testing.T) {
	t.Parallel()
	ns := newNamespace(t)
	ns.kubectl(t, "apply", "-k", root+"/config/samples")
	ns.wait(t, "Complete", "simulationruns", "--all")
	ns.wait(t, "Complete", "policysweeps", "--all")

	for kind, best := range map[string]string{"policysweeps": "BEST", "simulationruns": "TTFT P99"} {
		rows := table(ns.kubectl(t, "get", kind))
		if len(rows) == 0 {
			t.Fatalf("no %s", kind)
		}
		for _, row := range rows {
			t.Run(row["NAME"], func(t *testing.T) {
				if row["STATE"] != "Complete" || row["DONE"] == "" || row["DONE"] != row["OF"] || row[best] == "" || row["AGE"] == "" {
					t.Errorf("kubectl get shows %q", row)
				}
				o := ns.get(t, kind+"/"+row["NAME"])
				o.checkComplete(t)
				events := ns.kubectl(t, "events", "--for", strings.TrimSuffix(kind, "s")+"/"+row["NAME"])
				if !strings.Contains(events, "Complete") {
					t.Errorf("no event says that it is complete:\n%s", events)
				}
			})
		}
	}
	checkPods(t, ns)
}

// checkPods checks that pods of workers have ended well and can be asked for
// their logs.
func checkPods(t *testing.T, ns namespace) {
	t.Helper()
	if logs := ns.kubectl(t, "logs", "-l", "app.kubernetes.io/component=worker", "--tail=1", "--max-log-requests=200"); strings.Contains(logs, "panic") {
		t.Errorf("workers panicked:\n%s", logs)
	}
	for _, phase := range []string{"Failed", "Pending", "Running"} {
		if pods := ns.kubectl(t, "get", "pods", "--field-selector=status.phase="+phase, "-o", "name"); pods != "" {
			t.Errorf("pods that are %s when all is complete:\n%s", phase, pods)
		}
	}
}

// TestResultsAreThoseOfALocalRun holds the rows that a cluster gave against those
// of the same manifest on one machine.
func TestResultsAreThoseOfALocalRun(t *testing.T) {
	t.Parallel()
	ns := newNamespace(t)
	files := map[string]string{
		"admission-scheduling": "policysweep-admission-scheduling.yaml",
		"autoscaling":          "policysweep-autoscaling.yaml",
		"llm-d-default":        "policysweep-llm-d-default.yaml",
		"evolve":               "policysweep-evolve.yaml",
		"gates":                "policysweep-gates.yaml",
		"hpa":                  "policysweep-hpa.yaml",
		"random":               "policysweep-random.yaml",
	}
	for _, file := range files {
		ns.apply(t, sample(t, file))
	}
	ns.wait(t, "Complete", "policysweeps", "--all")
	for _, row := range table(ns.kubectl(t, "get", "policysweeps")) {
		name := row["NAME"]
		t.Run(name, func(t *testing.T) {
			file := sampleOf(t, name)
			cluster := windtunnel(t, "results", name, "-n", string(ns))
			state := filepath.Join(t.TempDir(), "state")
			// Its exit status is that of gates, which may fail.
			if out, err := command(root+"/bin/windtunnel", "sweep", "-f", file, "--state", state); out == "" {
				t.Fatal(err)
			}
			local := windtunnel(t, "results", "-f", state)
			if diff := cmp.Diff(local, cluster); diff != "" {
				t.Errorf("rows on the cluster differ (-local +cluster):\n%s", diff)
			}
			wantRows := ns.get(t, "policysweep/"+name).Status.Results.Rows
			if rows := int64(strings.Count(cluster, "\n") - 1); rows != wantRows {
				t.Errorf("%d rows, and the status says %s", rows, strconv.FormatInt(wantRows, 10))
			}
		})
	}
}

// sampleOf finds the sample that makes the sweep.
func sampleOf(t *testing.T, name string) string {
	t.Helper()
	files, err := filepath.Glob(root + "/config/samples/policysweep-*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.Contains(string(sample(t, filepath.Base(file))), "\n  name: "+name+"\n") {
			return file
		}
	}
	t.Fatalf("no sample makes a sweep %q", name)
	return ""
}

// TestARunInWebAssemblyIsThatOfALocalRun is the same for a run whose router is a program in WebAssembly.
func TestARunInWebAssemblyIsThatOfALocalRun(t *testing.T) {
	t.Parallel()
	const file = "simulationrun-webassembly.yaml"
	ns := newNamespace(t)
	ns.apply(t, sample(t, file))
	ns.wait(t, "Complete", "simulationrun/webassembly")
	ns.get(t, "simulationrun/webassembly").checkComplete(t)
	state := filepath.Join(t.TempDir(), "run.json")
	writeFile(t, state, []byte(windtunnel(t, "run", "-f", root+"/config/samples/"+file, "-o", "json")))
	local, cluster := linesOf(t, "-f", state), linesOf(t, "simulationrun/webassembly", "-n", string(ns))
	if diff := cmp.Diff(local, cluster); diff != "" || faultOf(t, local[0]) != "" {
		t.Errorf("rows on the cluster differ, or have a fault (-local +cluster):\n%.2000s%.300s", diff, local[0])
	}
}
