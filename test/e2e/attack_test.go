// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
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
// limit, and each object of the attack has a status at the end.
func TestAttacks(t *testing.T) {
	attacks := map[string]struct {
		manifests func(t *testing.T) [][]byte
		objects   []string // that need a status
		quota     bool     // holds the pods back, so that only the manager works
		reason    string   // of the condition Ready, "" for any
	}{
		"traces that unpack to 64 MiB": {
			manifests: func(t *testing.T) [][]byte { return bombs(t, 4) },
			objects:   numbered("simulationrun/bomb-", 4),
		},
		"rules with regular expressions": {
			manifests: func(*testing.T) [][]byte { return expensiveRules(12) },
			objects:   numbered("policysweep/rule-", 12),
			reason:    "Invalid",
		},
		"an EPP file of 24,654 plugins": {
			manifests: func(*testing.T) [][]byte { return hugePickers(4) },
			objects:   numbered("simulationrun/picker-", 4),
			reason:    "Invalid",
		},
		"300 sweeps at once": {
			manifests: func(*testing.T) [][]byte { return [][]byte{floods(300)} },
			objects:   numbered("policysweep/flood-", 300),
			quota:     true,
		},
	}
	for name, tc := range attacks {
		t.Run(name, func(t *testing.T) {
			before := managerRestarts(t)
			victim, attacker := newNeighbour(t), newNamespace(t)
			if tc.quota {
				attacker.kubectl(t, "create", "quota", "none", "--hard=pods=0")
			}
			for _, manifest := range tc.manifests(t) {
				// Larger than what kubectl notes of a client-side apply.
				if _, err := commandWithInput(manifest, "kubectl", "-n", string(attacker), "apply", "--server-side", "-f", "-"); err != nil {
					t.Fatal(err)
				}
			}
			victim.applies(t, neighbourRuns)
			took := victim.latencies(t)
			p50, p99 := percentile(took, 50), percentile(took, 99)
			for _, name := range tc.objects {
				o := attacker.eventually(t, name, "with a status", func(o *object) bool { return len(o.Status.Conditions) > 0 })
				if ready := o.condition("Ready"); tc.reason != "" && ready.Reason != tc.reason {
					t.Errorf("%s: Ready is %+v, want the reason %s", name, ready, tc.reason)
				}
			}
			restarts := managerRestarts(t) - before
			t.Logf("neighbour, from apply to status: p50 %.1f s, p99 %.1f s of %d runs; manager: %d restarts, at most %d MiB since its start",
				p50.Seconds(), p99.Seconds(), len(took), restarts, managerPeakBytes(t)>>20)
			if p99 > maxWait {
				t.Errorf("the neighbour waits %s for a status, want at most %s", p99, maxWait)
			}
			if restarts != 0 {
				t.Errorf("the manager restarted %d times", restarts)
			}
		})
	}
}

// numbered are the names with the numbers from 0 to n-1.
func numbered(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = prefix + strconv.Itoa(i)
	}
	return names
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

// bombs are n runs that replay one trace: 64 MiB of Mooncake lines, each with as
// many blocks as fit into one, in a ConfigMap of less than 200 KB.
func bombs(t *testing.T, n int) [][]byte {
	t.Helper()
	const blocks, blockTokens, unpacked = 19_531, 512, 64 << 20
	line := fmt.Sprintf(`{"timestamp": 0, "input_length": %d, "output_length": 1, "hash_ids": [%s0]}`+"\n",
		blocks*blockTokens, strings.Repeat("0,", blocks-1))
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	for range (unpacked - 1) / len(line) {
		if _, err := z.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	manifests := [][]byte{[]byte(`{apiVersion: v1, kind: ConfigMap, metadata: {name: bomb}, binaryData: {trace: ` +
		base64.StdEncoding.EncodeToString(packed.Bytes()) + `}}`)}
	workload := map[string]any{"trace": map[string]any{
		"format": "Mooncake", "configMapRef": map[string]any{"name": "bomb", "key": "trace"},
	}}
	for i := range n {
		manifests = append(manifests, edited(t, smallRun(""), "bomb-"+strconv.Itoa(i), func(spec map[string]any) {
			spec["scenario"].(map[string]any)["workload"] = workload
		}))
	}
	return manifests
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

// hugePickers are n runs that name one EPP file of 24,654 plugins in a ConfigMap.
func hugePickers(n int) [][]byte {
	var file strings.Builder
	file.WriteString("apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n")
	for i := range 24_654 {
		fmt.Fprintf(&file, "- {type: queue-scorer, name: q%d}\n", i)
	}
	indented := strings.ReplaceAll(strings.TrimSpace(file.String()), "\n", "\n    ")
	manifests := [][]byte{[]byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: huge}\ndata:\n  epp.yaml: |\n    " + indented + "\n")}
	for i := range n {
		run := bytes.Replace(smallRun("picker-"+strconv.Itoa(i)),
			[]byte(`inline: "{apiVersion: llm-d.ai/v1alpha1, kind: EndpointPickerConfig}"`),
			[]byte(`configMapRef: {name: huge, key: epp.yaml}`), 1)
		manifests = append(manifests, run)
	}
	return manifests
}

// floods are n sweeps in one manifest.
func floods(n int) []byte {
	var manifest bytes.Buffer
	for i := range n {
		manifest.WriteString("---")
		manifest.Write(storm("flood-"+strconv.Itoa(i), 10, 10, 1000, 4, "requests: {cpu: 10m}"))
	}
	return manifest.Bytes()
}
