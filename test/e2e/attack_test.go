// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/internal/testing/hostile"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
)

const (
	// neighbourRuns is how many runs the neighbour applies during one attack.
	neighbourRuns = 30
	// maxWait is how long the 99th percentile of the neighbour's runs may wait for
	// a status.
	maxWait = 10 * time.Second
)

// Each attack is what one tenant with the role edit in one namespace applies. A
// neighbour gets statuses as ever, the manager neither restarts nor meets its memory
// limit nor logs an error, and each object of the attack that the API server admits
// has a status at the end.
func TestAttacks(t *testing.T) {
	attacks := map[string]struct {
		attack func(t *testing.T, attacker namespace)
		pods   int    // the quota of the attacker's namespace
		reason string // of the condition Ready of all objects; empty for any
	}{
		"traces that unpack to 64 MiB":   {attack: applying(bombs(4)), pods: 4},
		"rules with regular expressions": {attack: applying(expensiveRules(12)), pods: 4, reason: "Invalid"},
		"an EPP file of 24,654 plugins":  {attack: applying(hugePickers(4)), pods: 4, reason: "Invalid"},
		"300 sweeps at once":             {attack: applying(floods(300)), pods: 0},
		"50 slow sweeps, edited 5 times": {attack: applying(editedSweeps(50, 5)), pods: 0},
		"1,000 hostile objects":          {attack: createHostile, pods: 2},
	}
	for name, tc := range attacks {
		t.Run(name, func(t *testing.T) {
			restarts, began := managerRestarts(t), time.Now()
			victim, attacker := newNeighbour(t), newNamespace(t)
			attacker.kubectl(t, "create", "quota", "few", fmt.Sprintf("--hard=pods=%d", tc.pods))
			attacked := make(chan struct{})
			go func() {
				defer close(attacked)
				tc.attack(t, attacker)
			}()
			victim.applies(t, neighbourRuns)
			<-attacked
			if t.Failed() {
				return
			}
			took := victim.latencies(t)
			p50, p99 := percentile(took, 50), percentile(took, 99)
			objects := attacker.untilAllHaveStatus(t)
			for _, o := range objects {
				if ready := o.condition("Ready"); tc.reason != "" && ready.Reason != tc.reason {
					t.Errorf("%s: Ready is %+v, want the reason %s", o.Metadata.Name, ready, tc.reason)
				}
			}
			restarts = managerRestarts(t) - restarts
			t.Logf("%d objects; neighbour, from apply to status: p50 %.1f s, p99 %.1f s of %d runs; manager: %d restarts, at most %d MiB since its start",
				len(objects), p50.Seconds(), p99.Seconds(), len(took), restarts, managerPeakBytes(t)>>20)
			if p99 > maxWait {
				t.Errorf("the neighbour waits %s for a status, want at most %s", p99, maxWait)
			}
			if restarts != 0 {
				t.Errorf("the manager restarted %d times", restarts)
			}
			for _, line := range managerErrors(t, began) {
				t.Errorf("the manager logs %s", line)
			}
		})
	}
}

// applying is an attack that applies manifests.
func applying(manifests [][]byte) func(*testing.T, namespace) {
	return func(t *testing.T, attacker namespace) {
		for _, manifest := range manifests {
			// Larger than what kubectl notes of a client-side apply.
			if _, err := commandWithInput(manifest, "kubectl", "-n", string(attacker), "apply", "--server-side", "-f", "-"); err != nil {
				t.Error(err)
			}
		}
	}
}

// createHostile creates objects of a generator, and the ConfigMaps that some of them
// name. The API server refuses some of the objects.
func createHostile(t *testing.T, attacker namespace) {
	const n = 1000
	var items []any
	for _, input := range hostile.Inputs() {
		input.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"} // kubectl asks for it
		items = append(items, input)
	}
	for i := range uint64(n) {
		_, o := hostile.Object(1, i)
		items = append(items, o)
	}
	list, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		t.Error(err)
		return
	}
	// What the API server refuses does not keep kubectl from the rest.
	out, err := commandWithInput(list, "kubectl", "-n", string(attacker), "create", "--validate=ignore", "-f", "-", "-o", "name")
	admitted := strings.Count(out, ".sim.windtunnel.dev/")
	t.Logf("the API server admits %d of %d objects", admitted, n)
	if admitted < n/2 {
		t.Errorf("the API server admits %d of %d objects, want half of them at least: %.500s", admitted, n, err)
	}
}

// untilAllHaveStatus waits until each object of our kinds has a condition of its own
// generation, and returns the objects.
func (ns namespace) untilAllHaveStatus(t *testing.T) []object {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		list := jsontest.Decode[struct{ Items []object }](t, []byte(ns.kubectl(t, "get", "simulationruns,policysweeps", "-o", "json")))
		silent := slices.DeleteFunc(slices.Clone(list.Items), func(o object) bool {
			return len(o.Status.Conditions) > 0 && o.Status.ObservedGeneration == o.Metadata.Generation
		})
		if len(silent) == 0 {
			return list.Items
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d objects have no status, such as %+v", len(silent), len(list.Items), silent[0])
		}
		time.Sleep(time.Second)
	}
}

// managerErrors are the lines of level ERROR that the manager has logged since then.
func managerErrors(t *testing.T, since time.Time) []string {
	t.Helper()
	log := namespace(systemNamespace).kubectl(t, "logs", manager, "--since-time="+since.UTC().Format(time.RFC3339))
	var lines []string
	for line := range strings.Lines(log) {
		if strings.Contains(line, `"level":"ERROR"`) {
			lines = append(lines, line)
		}
	}
	return lines
}

// managerRestarts is how often the containers of the manager's pods restarted.
func managerRestarts(t *testing.T) int {
	t.Helper()
	counts := namespace(systemNamespace).kubectl(t, "get", "pods", "-l", "app.kubernetes.io/component=manager",
		"-o", "jsonpath={.items[*].status.containerStatuses[*].restartCount}")
	restarts := 0
	for count := range strings.FieldsSeq(counts) {
		n, err := strconv.Atoi(count)
		if err != nil {
			t.Fatal(err)
		}
		restarts += n
	}
	return restarts
}

// managerPeakBytes is the most memory that a manager's container held since it
// started, as its kubelet has it.
func managerPeakBytes(t *testing.T) int64 {
	t.Helper()
	system := namespace(systemNamespace)
	node := system.kubectl(t, "get", "pods", "-l", "app.kubernetes.io/component=manager", "-o", "jsonpath={.items[0].spec.nodeName}")
	samples := system.kubectl(t, "get", "--raw", "/api/v1/nodes/"+node+"/proxy/metrics/cadvisor")
	var peak float64
	for line := range strings.Lines(samples) {
		if !strings.HasPrefix(line, "container_memory_max_usage_bytes{") || !strings.Contains(line, `pod="windtunnel-manager-`) {
			continue
		}
		_, sample, _ := strings.Cut(line, "} ")
		value, _, _ := strings.Cut(sample, " ")
		bytes, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatal(err)
		}
		peak = max(peak, bytes)
	}
	return int64(peak)
}

// bombs are n runs that replay one trace of 64 MiB.
func bombs(n int) [][]byte {
	manifests := [][]byte{bombConfigMap("bomb", "trace")}
	for i := range n {
		run, _, _ := bytes.Cut(smallRun("bomb-"+strconv.Itoa(i)), []byte("clients:"))
		manifests = append(manifests, append(run, "trace: {format: Mooncake, configMapRef: {name: bomb, key: trace}}\n"...))
	}
	return manifests
}

// bombConfigMap is a ConfigMap of less than 200 KB with a trace of 64 MiB: Mooncake
// lines, each with as many blocks as fit into one.
func bombConfigMap(name, key string) []byte {
	const blocks, blockTokens, unpacked = 19_531, 512, 64 << 20
	line := fmt.Appendf(nil, `{"timestamp": 0, "input_length": %d, "output_length": 1, "hash_ids": [%s0]}`+"\n",
		blocks*blockTokens, strings.Repeat("0,", blocks-1))
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is a known one
	for range (unpacked - 1) / len(line) {
		z.Write(line) // a buffer takes everything
	}
	z.Close()
	return fmt.Appendf(nil, "{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}, binaryData: {%s: %s}}",
		name, key, base64.StdEncoding.EncodeToString(packed.Bytes()))
}

// expensiveRules are n sweeps with a rule that takes minutes to evaluate where
// regular expressions are allowed and nothing bounds the cost.
func expensiveRules(n int) [][]byte {
	rule := `!string(prefix).matches("(` + strings.Repeat("a", 700) + `){1000}")`
	var manifests [][]byte
	for i := range n {
		sweep := storm("rule-"+strconv.Itoa(i), 10, 1, 100, 1, "requests: {cpu: 10m}")
		manifests = append(manifests, append(sweep, "  rules:\n  - {message: slow, expression: '"+rule+"'}\n"...))
	}
	return manifests
}

// hugePickers are n runs that name one EPP file of 24,654 plugins.
func hugePickers(n int) [][]byte {
	manifests := [][]byte{hugePickerConfigMap("huge", "epp.yaml")}
	for i := range n {
		manifests = append(manifests, bytes.Replace(smallRun("picker-"+strconv.Itoa(i)),
			[]byte(`inline: "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig"`),
			[]byte(`configMapRef: {name: huge, key: epp.yaml}`), 1))
	}
	return manifests
}

// hugePickerConfigMap is a ConfigMap with an EPP file of 24,654 plugins.
func hugePickerConfigMap(name, key string) []byte {
	var file strings.Builder
	file.WriteString("    apiVersion: llm-d.ai/v1alpha1\n    kind: EndpointPickerConfig\n    plugins:\n")
	for i := range 24_654 {
		fmt.Fprintf(&file, "    - {type: queue-scorer, name: q%d}\n", i)
	}
	return []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\ndata:\n  " + key + ": |\n" + file.String())
}

// editedSweeps are n sweeps of 10,000 points in one manifest, and edits of all of them. A
// manager takes seconds to compile each one.
func editedSweeps(n, edits int) [][]byte {
	const points = 100 // of each of two parameters
	var manifests [][]byte
	for edit := range edits + 1 {
		var manifest bytes.Buffer
		for i := range n {
			sweep := string(storm("slow-"+strconv.Itoa(i), points, 1, 1000+edit, 4, "requests: {cpu: 10m}"))
			_, prefix, _ := strings.Cut(sweep, "  - name: prefix\n")
			prefix, _, _ = strings.Cut(prefix, "  search:")
			manifest.WriteString("---" + strings.NewReplacer(
				"  search: {maxTrials: 1000}", "  - name: queue\n"+strings.ReplaceAll(prefix, "prefix-cache", "queue")+
					"  search: {algorithm: Grid, maxTrials: 10000}\n  rules: [{message: fast, expression: prefix + queue < 1000.0}]").Replace(sweep))
		}
		manifests = append(manifests, manifest.Bytes())
	}
	return manifests
}

// floods are n sweeps in one manifest.
func floods(n int) [][]byte {
	var manifest bytes.Buffer
	for i := range n {
		manifest.WriteString("---")
		manifest.Write(storm("flood-"+strconv.Itoa(i), 10, 10, 1000, 4, "requests: {cpu: 10m}"))
	}
	return [][]byte{manifest.Bytes()}
}
