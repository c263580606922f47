// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/internal/testing/hostile"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/policy"
)

const (
	// badRouters and goodRouters are alternatives of a sweep. Each bad one is tried with 2
	// values of one parameter, and each good one with 10 of another.
	badRouters, goodRouters = 25, 5
	hostileTrials           = badRouters*2 + goodRouters*10
)

// greedy programs are among the bad ones: they take all memory that they get.
var greedy = []string{"starlark: texts that are split"}

// bad are programs that fail soon within the limits of a pod, by name: no other one takes ten
// minutes of CPU time.
func bad(t *testing.T) []hostile.Program {
	t.Helper()
	var all, soon []hostile.Program
	for _, p := range hostile.Programs() {
		switch {
		case slices.Contains(greedy, p.Name):
			all = append(all, p)
		case len(p.Routing) < 50_000 && !slices.Contains(p.Faults, policy.DeadlineFault) && !slices.Contains(p.Faults, hostile.Harmless):
			soon = append(soon, p)
		}
	}
	wanted := badRouters - len(all)
	if len(all) != len(greedy) || len(soon) < wanted {
		t.Fatalf("%d programs that take all memory, and %d others", len(all), len(soon))
	}
	for i := range wanted { // of both languages
		all = append(all, soon[i*len(soon)/wanted])
	}
	return all
}

// hostileSweep is a sweep of 100 trials, half of which have a program that means harm.
func hostileSweep(t *testing.T) []byte {
	t.Helper()
	type object = map[string]any
	var alternatives []object
	var badNames, goodNames []string
	add := func(name, routing string) {
		text := "apiVersion: sim.windtunnel.dev/v1alpha1\nkind: PolicyBundle\n" + routing
		alternatives = append(alternatives, object{"name": name, "router": object{"policies": object{"bundle": object{"inline": text}}}})
	}
	for i, p := range bad(t) {
		badNames = append(badNames, fmt.Sprintf("bad-%d", i))
		add(badNames[i], p.Routing)
	}
	for i := range goodRouters {
		goodNames = append(goodNames, fmt.Sprintf("good-%d", i))
		add(goodNames[i], fmt.Sprintf(`routing:
  signals: [prefix-affinity, queue-depth, in-flight]
  starlark:
    parameters: {queue: 1}
    source: |
      def score(request, endpoints):
          return [%d * e.prefix_affinity + parameters.queue * e.queue_depth - e.in_flight / 100 for e in endpoints]
`, i))
	}
	when := func(names []string) object { return object{"parameter": "router", "values": names} }
	var queues []string
	for i := range 10 {
		queues = append(queues, strconv.Itoa(i))
	}
	raw, err := json.Marshal(object{
		"apiVersion": "sim.windtunnel.dev/v1alpha1", "kind": "PolicySweep", "metadata": object{"name": "hostile"},
		"spec": object{
			"scenario": object{
				"horizon": object{"requests": 500},
				"pools":   []object{{"name": "llama", "model": "meta-llama/Llama-3.1-8B-Instruct", "accelerator": "h100-sxm", "replicas": 2}},
				"router":  object{"policies": object{"routing": object{"policy": "random"}}},
				"workload": object{"clients": []object{{
					"name": "chat", "arrivals": object{"rate": "20"}, "prefix": object{"group": "system", "tokens": 512},
					"inputTokens":  object{"distribution": "Normal", "mean": "256", "stdDev": "100", "min": 32, "max": 1024},
					"outputTokens": object{"distribution": "Normal", "mean": "64", "stdDev": "20", "min": 16, "max": 128},
				}}},
			},
			"parameters": []object{
				{"name": "router", "path": "router", "alternatives": alternatives},
				{"name": "replicas", "path": "pools[llama].replicas", "values": []string{"2", "3"}, "when": when(badNames)},
				{"name": "queue", "path": "router.policies.bundle.routing.starlark.parameters.queue", "values": queues, "when": when(goodNames)},
			},
			"search":       object{"algorithm": "Grid", "maxFailedTrials": badRouters * 2},
			"objectives":   []object{{"metric": "ttft.p99", "direction": "Minimize"}},
			"replications": object{"seeds": []int{1}},
			"execution":    object{"shards": 2, "retriesPerShard": 0},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// A sweep half of whose trials have programs that mean harm completes on a node: those are
// failed rows that name the fault, and the others have the rows of a laptop. No pod is killed,
// and none meets its memory limit.
func TestHostilePrograms(t *testing.T) {
	t.Parallel()
	ns, manifest := newNamespace(t), hostileSweep(t)
	if _, err := commandWithInput(manifest, "kubectl", "-n", string(ns), "apply", "--server-side", "-f", "-"); err != nil {
		t.Fatal(err)
	}
	peak := watchMemory(t, ns)
	ns.wait(t, "Complete", "policysweep/hostile")
	most := peak()
	ns.get(t, "policysweep/hostile").checkComplete(t)
	file := filepath.Join(t.TempDir(), "sweep.yaml")
	writeFile(t, file, manifest)
	local := filepath.Join(t.TempDir(), "state")
	windtunnel(t, "sweep", "-f", file, "--state", local)

	want, got := linesOf(t, "-f", local), linesOf(t, "hostile", "-n", string(ns))
	if len(got) != hostileTrials || len(want) != hostileTrials {
		t.Fatalf("%d rows on the cluster and %d on this machine, want %d", len(got), len(want), hostileTrials)
	}
	failed, memory := 0, 0
	for i := range got {
		fault := faultOf(t, got[i])
		switch {
		case strings.Contains(fault, "memory fault of a program") && strings.Contains(faultOf(t, want[i]), "memory fault of a program"):
			memory++ // the limits of the pod are not those of this machine
		case got[i] != want[i]:
			t.Errorf("row %d, as it is here and on the cluster:\n%.300s\n%.300s", i, want[i], got[i])
		}
		if fault != "" {
			failed++
		}
	}
	if failed != badRouters*2 || memory < 2*len(greedy) {
		t.Errorf("%d rows failed, %d of them for memory; want %d, and at least %d", failed, memory, badRouters*2, 2*len(greedy))
	}
	pods := ns.workers(t)
	for _, ended := range pods {
		if ended.Reason != "Completed" {
			t.Errorf("a pod ended like this: %+v", ended)
		}
	}
	if usesOwnCluster() && (most == 0 || most >= podMemory) {
		t.Errorf("a pod had %d MiB of memory, and its limit is %d MiB", most>>20, podMemory>>20)
	}
	t.Logf("%d of %d trials failed, %d of them for memory; %d pods had at most %d MiB", failed, hostileTrials, memory, len(pods), most>>20)
	checkPods(t, ns)
}

// podMemory is the limit of a pod that states none.
const podMemory = 2 << 30

// linesOf are rows as the command prints them, a line each.
func linesOf(t *testing.T, args ...string) []string {
	t.Helper()
	return strings.Split(strings.TrimSpace(windtunnel(t, append([]string{"results", "-o", "json"}, args...)...)), "\n")
}

// faultOf is the error of a row; empty where it has figures.
func faultOf(t *testing.T, line string) string {
	t.Helper()
	row := jsontest.Decode[struct{ Error string }](t, []byte(line))
	if row.Error != "" && !strings.Contains(row.Error, " fault of ") {
		t.Errorf("no fault is named: %s", row.Error)
	}
	return row.Error
}

// termination is how a container ended.
type termination struct {
	Reason   string
	ExitCode int
}

// workers are the ends of the pods of workers.
func (ns namespace) workers(t *testing.T) []termination {
	t.Helper()
	var list struct {
		Items []struct {
			Status struct {
				ContainerStatuses []struct {
					State struct{ Terminated termination }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(ns.kubectl(t, "get", "pods", "-l", "app.kubernetes.io/component=worker", "-o", "json")), &list); err != nil {
		t.Fatal(err)
	}
	var ends []termination
	for _, pod := range list.Items {
		for _, container := range pod.Status.ContainerStatuses {
			ends = append(ends, container.State.Terminated)
		}
	}
	return ends
}

// watchMemory looks at the memory of the pods of a namespace until the result is called, which
// returns the most that one had. The kubelet measures too seldom for pods that take seconds, so
// it looks at the cgroups of this machine.
func watchMemory(t *testing.T, ns namespace) func() int64 {
	t.Helper()
	var most int64
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-over:
				return
			case <-time.After(200 * time.Millisecond):
				uids, _ := ns.try("get", "pods", "-o", "jsonpath={.items[*].metadata.uid}") // again soon
				most = max(most, peakBytes(strings.Fields(uids)))
			}
		}
	}()
	return func() int64 {
		close(over)
		<-done
		return most
	}
}

// peakBytes is the most memory that one of some pods of this machine has had.
func peakBytes(uids []string) int64 {
	var peak int64
	err := filepath.WalkDir("/sys/fs/cgroup", func(path string, _ fs.DirEntry, err error) error {
		name := filepath.Base(path)
		of := func(uid string) bool { return strings.Contains(path, uid) }
		if err != nil || name != "memory.peak" && name != "memory.max_usage_in_bytes" || !slices.ContainsFunc(uids, of) {
			return nil //nolint:nilerr // a pod that has ended takes its cgroups with it
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil //nolint:nilerr // likewise
		}
		bytes, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		peak = max(peak, bytes)
		return err
	})
	if err != nil {
		return 0
	}
	return peak
}
