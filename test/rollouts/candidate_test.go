// SPDX-License-Identifier: Apache-2.0

package rollouts_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// patience is how long a step may take on a small and busy machine.
const patience = 6 * time.Minute

// eppFile is an EPP configuration with a weight of the prefix scorer.
func eppFile(prefix int) string {
	return fmt.Sprintf(`apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: queue-scorer
- type: kv-cache-utilization-scorer
- type: prefix-cache-scorer
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: queue-scorer, weight: 2}
  - {pluginRef: kv-cache-utilization-scorer, weight: 2}
  - {pluginRef: prefix-cache-scorer, weight: %d}
`, prefix)
}

// candidate is a file that is to replace one, and the claim by which a sweep judges it.
type candidate struct{ before, after, bound string }

// The candidates: prefixes are shared, so the scorer of prefixes makes the first token come sooner.
var (
	good = candidate{before: eppFile(0), after: eppFile(3), bound: "versusBaseline: 5%"}
	bad  = candidate{before: eppFile(3), after: eppFile(0), bound: "versusBaseline: 5%"}
	// The seeds of this one lie on both sides of its bound.
	thin = candidate{before: eppFile(0), after: eppFile(1), bound: "value: 60ms"}
)

// digest is what sha256sum prints of the candidate's file.
func (c candidate) digest() string {
	sum := sha256.Sum256([]byte(c.after))
	return hex.EncodeToString(sum[:])
}

// files are the ConfigMaps of both files.
func (c candidate) files() []byte {
	in := func(indent int, text string) string {
		return strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+strings.Repeat(" ", indent))
	}
	return fmt.Appendf(nil, `apiVersion: v1
kind: ConfigMap
metadata: {name: epp-v1}
data:
  epp.yaml: |
    %s
---
apiVersion: v1
kind: ConfigMap
metadata: {name: epp-v2}
data:
  epp.yaml: |
    %s
`, in(4, c.before), in(4, c.after))
}

// sweep is the sweep epp, whose verdict everyone may know.
func (c candidate) sweep() []byte {
	return fmt.Appendf(nil, `apiVersion: sim.windtunnel.dev/v1alpha1
kind: PolicySweep
metadata:
  name: epp
  annotations: {sim.windtunnel.dev/open-verdict: "true"}
spec:
  scenario:
    horizon: {requests: 2000}
    pools:
    - {name: llama, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, replicas: 4, kvCache: {blocks: 1500}}
    router:
      endpointPickerConfig:
        configMapRef: {name: epp-v1, key: epp.yaml}
    workload:
      clients:
      - name: chat
        copies: {count: 3, zipfExponent: "1"}
        arrivals: {rate: "40"}
        inputTokens: {distribution: Normal, mean: "300", stdDev: "100", max: 1024}
        outputTokens: {distribution: Exponential, mean: "150", max: 1024}
        prefix: {group: assistant, tokens: 4096}
  proposal:
    endpointPickerConfig:
      configMapRef: {name: epp-v2, key: epp.yaml}
  replications: {seed: 42, count: 3}
  gates:
  - {name: ttft, metric: ttft.p99, operator: AtMost, %s, confidence: "0.95"}
`, c.bound)
}

// kubectl runs kubectl with an input, and returns what it prints.
func kubectl(input []byte, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("kubectl", args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSpace(stdout.String()), nil
}

// namespace is one for one test.
type namespace string

func newNamespace(t *testing.T) namespace {
	t.Helper()
	out, err := kubectl([]byte(`{apiVersion: v1, kind: Namespace, metadata: {generateName: rollouts-}}`), "create", "-f", "-", "-o", "jsonpath={.metadata.name}")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := kubectl(nil, "delete", "namespace", out, "--wait=false"); err != nil {
			t.Error(err)
		}
	})
	return namespace(out)
}

// apply applies objects.
func (ns namespace) apply(t *testing.T, objects []byte, err error) {
	t.Helper()
	if err == nil {
		_, err = kubectl(objects, "-n", string(ns), "apply", "-f", "-")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// get prints a part of objects; nothing where they are not there yet.
func (ns namespace) get(what, path string) string {
	out, err := kubectl(nil, "-n", string(ns), "get", what, "-o", "jsonpath="+path)
	if err != nil {
		return ""
	}
	return out
}

// until waits until a part of an object is as wanted, and logs how it changes.
func (ns namespace) until(t *testing.T, what, path, want string) {
	t.Helper()
	last, deadline := "", time.Now().Add(patience)
	for begin := time.Now(); ; time.Sleep(500 * time.Millisecond) {
		now := ns.get(what, path)
		if now != last {
			t.Logf("%4.0f s  %s %s: %s", time.Since(begin).Seconds(), what, path, now)
			last = now
		}
		if now == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s %s is %q after %s, want %q", what, path, now, patience, want)
		}
	}
}

// events logs what was said about an object.
func (ns namespace) events(t *testing.T, of string) {
	t.Helper()
	out, err := kubectl(nil, "-n", string(ns), "get", "events", "--field-selector", "involvedObject.name="+of, "--sort-by=.lastTimestamp",
		"-o", `jsonpath={range .items[*]}{.type}{"  "}{.reason}{"  "}{.message}{"\n"}{end}`)
	if err != nil {
		t.Error(err)
	}
	t.Logf("events of %s:\n%s", of, out)
}
