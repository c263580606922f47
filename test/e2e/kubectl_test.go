// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// patience is how long anything here may take on a small and busy machine.
const patience = 8 * time.Minute

// command runs a program and returns what it printed; the error has what it
// complained of.
func command(name string, args ...string) (string, error) {
	return commandWithInput(nil, name, args...)
}

func commandWithInput(input []byte, name string, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}

// windtunnel runs the command that users have.
func windtunnel(t *testing.T, args ...string) string {
	t.Helper()
	out, err := command(root+"/bin/windtunnel", args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// namespace is one with the strictest pod security, for one test.
type namespace string

func newNamespace(t *testing.T) namespace {
	t.Helper()
	manifest := `{apiVersion: v1, kind: Namespace, metadata: {generateName: e2e-, labels: {pod-security.kubernetes.io/enforce: restricted}}}`
	out, err := commandWithInput([]byte(manifest), "kubectl", "create", "-f", "-", "-o", "name")
	if err != nil {
		t.Fatal(err)
	}
	ns := namespace(strings.TrimPrefix(strings.TrimSpace(out), "namespace/"))
	t.Cleanup(func() {
		if t.Failed() {
			ns.describe(t)
		}
		if _, err := ns.try("delete", "namespace", string(ns), "--wait=false", "--ignore-not-found"); err != nil {
			t.Error(err)
		}
	})
	return ns
}

// try is kubectl in the namespace.
func (ns namespace) try(args ...string) (string, error) {
	return command("kubectl", append([]string{"-n", string(ns)}, args...)...)
}

// kubectl is try that must succeed.
func (ns namespace) kubectl(t *testing.T, args ...string) string {
	t.Helper()
	out, err := ns.try(args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// apply applies a manifest.
func (ns namespace) apply(t *testing.T, manifest []byte) {
	t.Helper()
	if _, err := commandWithInput(manifest, "kubectl", "-n", string(ns), "apply", "-f", "-"); err != nil {
		t.Fatal(err)
	}
}

// wait waits as a user would.
func (ns namespace) wait(t *testing.T, condition string, objects ...string) {
	t.Helper()
	ns.kubectl(t, append([]string{"wait", "--for=condition=" + condition, "--timeout=" + patience.String()}, objects...)...)
}

// get reads an object such as policysweep/weights.
func (ns namespace) get(t *testing.T, name string) *object {
	t.Helper()
	o, err := ns.tryGet(name)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func (ns namespace) tryGet(name string) (*object, error) {
	out, err := ns.try("get", name, "-o", "json")
	if err != nil {
		return nil, err
	}
	o := new(object)
	return o, json.Unmarshal([]byte(out), o)
}

// eventually asks until met says yes. Meanwhile the API server may be away.
func (ns namespace) eventually(t *testing.T, name, what string, met func(*object) bool) *object {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		o, err := ns.tryGet(name)
		if err == nil && met(o) {
			return o
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: never %s; it is %+v, %v", name, what, o, err)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// describedBytes is how much of each output a failure shows: a sweep may have 10,000 points.
const describedBytes = 20_000

// describe shows what is in the namespace.
func (ns namespace) describe(t *testing.T) {
	for _, args := range [][]string{
		{"get", "policysweeps,simulationruns,jobs,pods", "-o", "wide"},
		{"describe", "policysweeps,simulationruns"},
		{"describe", "jobs,pods"},
		{"events"},
	} {
		out, err := ns.try(args...)
		t.Logf("$ kubectl -n %s %s\n%.*s", ns, strings.Join(args, " "), describedBytes, out)
		if err != nil {
			t.Log(err)
		}
	}
}

// object is what these tests look at of a SimulationRun or PolicySweep.
type object struct {
	Metadata struct {
		Name       string `json:"name"`
		Generation int64  `json:"generation"`
	} `json:"metadata"`
	Status struct {
		ObservedGeneration int64       `json:"observedGeneration"`
		Conditions         []condition `json:"conditions"`
		EngineVersion      string      `json:"engineVersion"`
		Progress           struct {
			Completed, Total, Reused int64
			Round                    int32
		} `json:"progress"`
		Results struct {
			Index, Digest string
			Rows          int64
		} `json:"results"`
		Promoted    string   `json:"promoted"`
		Leaderboard string   `json:"leaderboard"`
		Followed    []string `json:"followed"`
	} `json:"status"`
}

type condition struct {
	Type, Status, Reason, Message string
	ObservedGeneration            int64
}

// condition is that of the type; without a status if there is none.
func (o *object) condition(kind string) condition {
	for _, c := range o.Status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return condition{Type: kind}
}

// running says whether the object is being worked on.
func running(o *object) bool { return o.condition("Ready").Reason == "Running" }

// checkComplete checks what a status says of work that is done.
func (o *object) checkComplete(t *testing.T) {
	t.Helper()
	name, st := o.Metadata.Name, o.Status
	for _, kind := range []string{"Ready", "Complete"} {
		c := o.condition(kind)
		if c.Status != "True" || c.Reason == "" || c.Message == "" {
			t.Errorf("%s: condition %s is %+v", name, kind, c)
		}
		if c.ObservedGeneration != o.Metadata.Generation {
			t.Errorf("%s: condition %s is of generation %d, the object of %d", name, kind, c.ObservedGeneration, o.Metadata.Generation)
		}
	}
	for _, kind := range []string{"Reconciling", "Stalled", "Failed", "Suspended"} {
		if c := o.condition(kind); c.Status == "True" {
			t.Errorf("%s is complete, and has %+v", name, c)
		}
	}
	if st.ObservedGeneration != o.Metadata.Generation {
		t.Errorf("%s: the status is of generation %d, the object of %d", name, st.ObservedGeneration, o.Metadata.Generation)
	}
	if st.Progress.Total == 0 || st.Progress.Completed != st.Progress.Total {
		t.Errorf("%s is complete with %d of %d simulations", name, st.Progress.Completed, st.Progress.Total)
	}
	if st.Results.Digest == "" || st.Results.Rows == 0 {
		t.Errorf("%s is complete and names no results: %+v", name, st.Results)
	}
}

// sample is a sample as it is shipped.
func sample(t *testing.T, file string) []byte {
	t.Helper()
	return testfile.Read(t, root+"/config/samples/"+file)
}

// edited is a manifest with another name, and with what edit changes of its spec.
func edited(t *testing.T, manifest []byte, name string, edit func(spec map[string]any)) []byte {
	t.Helper()
	var o map[string]any
	if err := yaml.Unmarshal(manifest, &o); err != nil {
		t.Fatal(err)
	}
	o["metadata"].(map[string]any)["name"] = name
	if edit != nil {
		edit(o["spec"].(map[string]any))
	}
	out, err := yaml.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// table is what kubectl get prints, by column and row.
func table(text string) []map[string]string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	var starts []int
	header := lines[0]
	for i := range header {
		// A heading may have a blank inside, between columns there are three.
		if header[i] != ' ' && (i == 0 || i > 1 && header[i-1] == ' ' && header[i-2] == ' ') {
			starts = append(starts, i)
		}
	}
	cell := func(line string, column int) string {
		end := len(line)
		if column+1 < len(starts) {
			end = min(end, starts[column+1])
		}
		return strings.TrimSpace(line[min(starts[column], end):end])
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i := range starts {
			row[cell(header, i)] = cell(line, i)
		}
		rows = append(rows, row)
	}
	return rows
}
