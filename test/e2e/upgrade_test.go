// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

const (
	currentImage  = "windtunnel:dev"
	previousImage = "windtunnel:previous"
	// fast are resources with which a slow storm ends.
	fast = `{"requests":{"cpu":"100m"},"limits":{"cpu":"1"}}`
	// nodeLabel is what the search wants of its nodes.
	nodeLabel = "windtunnel-e2e"
)

// TestUpgrade goes from the version before to this one while objects are complete,
// run, wait between the rounds of a search, and are suspended; and back again.
func TestUpgrade(t *testing.T) {
	previous := buildPrevious(t)
	deploy(t, previousImage)
	t.Cleanup(func() { deploy(t, currentImage) })
	ns := newNamespace(t)
	ns.watchForFailures(t)

	ns.apply(t, edited(t, sample(t, gatesSample), "promoted", nil))
	ns.apply(t, slowRun(t, "measured"))
	ns.speedUp(t, "simulationrun/measured")
	complete := []string{"policysweep/promoted", "simulationrun/measured"}
	ns.wait(t, "Complete", complete...)
	before := ns.all(t, complete...)
	measured := ns.get(t, "simulationrun/measured").Status
	if measured.EngineVersion != previous {
		t.Fatalf("the version before is of engine %s, want %s", measured.EngineVersion, previous)
	}

	upgradeInFlight(t, ns)
	if after := ns.all(t, complete...); after != before {
		t.Errorf("what was complete has changed from\n%s\nto\n%s", before, after)
	}

	complete = append(complete, "policysweep/grid", "policysweep/search")
	before = ns.all(t, complete...)
	ns.apply(t, slowRun(t, "back"))
	ns.eventually(t, "simulationrun/back", "running", running)
	deploy(t, previousImage)
	back := ns.checkStartedAnew(t, "simulationrun/back", previous)
	if got, want := back.Status.Results.Digest, measured.Results.Digest; got != want {
		t.Errorf("after going back the results have the digest %s, and of that version they had %s", got, want)
	}
	if after := ns.all(t, complete...); after != before {
		t.Errorf("going back changed what was complete from\n%s\nto\n%s", before, after)
	}
}

// upgradeInFlight brings this version to objects in flight, and holds what comes of
// them against a laptop's results.
func upgradeInFlight(t *testing.T, ns namespace) {
	t.Helper()
	manifests := map[string][]byte{
		"policysweep/held":   storm("held", 5, 6, stormRequests, 1, slow),
		"policysweep/grid":   storm("grid", 5, 6, stormRequests, 1, slow),
		"policysweep/search": search(t, "search"),
		"simulationrun/run":  slowRun(t, "run"),
	}
	labelNodes(t, nodeLabel+"=")
	t.Cleanup(func() { labelNodes(t, nodeLabel+"-") })
	// The search comes last, since it is over soon.
	names := []string{"policysweep/held", "policysweep/grid", "simulationrun/run", "policysweep/search"}
	for _, name := range names {
		ns.apply(t, manifests[name])
		ns.eventually(t, name, "running", running)
	}
	// The round that runs goes on, and the next one finds no node.
	labelNodes(t, nodeLabel+"-")
	ns.suspend(t, "policysweep/held")
	ns.eventually(t, "policysweep/search", "between two rounds", func(o *object) bool { return o.Status.Progress.Completed > 0 })

	deploy(t, currentImage)
	labelNodes(t, nodeLabel+"=")
	for _, name := range names {
		if suspended := ns.get(t, name).condition("Suspended").Status; (suspended == "True") != (name == "policysweep/held") {
			t.Errorf("%s has Suspended=%q", name, suspended)
		}
		o := ns.checkStartedAnew(t, name, simulator.EngineVersion)
		if got, want := o.Status.Results.Digest, digestOnALaptop(t, kindOf(name), manifests[name]); got != want {
			t.Errorf("%s: the results have the digest %s, a laptop's %s", name, got, want)
		}
	}
}

// buildPrevious builds and loads the image of the version before, and returns its
// engine's version: this code, but for the name that its simulator has. The name is
// put into a copy of its file, which the compiler reads instead, so that no flag makes a
// real binary tell another version than its own.
func buildPrevious(t *testing.T) (engine string) {
	t.Helper()
	current, err := strconv.Atoi(simulator.EngineVersion)
	if err != nil {
		t.Fatal(err)
	}
	engine = strconv.Itoa(current - 1)
	repository, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string) string { return filepath.Join(repository, "dist", "previous", name) }
	if err := os.MkdirAll(file(""), 0o755); err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(repository, "pkg", "simulator", "version.go")
	text := testfile.Read(t, source)
	older := regexp.MustCompile(`EngineVersion = "\d+"`).ReplaceAllString(string(text), fmt.Sprintf("EngineVersion = %q", engine))
	overlay := jsontest.Encode(t, map[string]any{"Replace": map[string]string{source: file("version.go.txt")}})
	for name, content := range map[string]string{"version.go.txt": older, "overlay.json": string(overlay)} {
		testfile.Write(t, file(name), []byte(content))
	}
	for _, args := range [][]string{
		{"env", "CGO_ENABLED=0", "GOOS=linux", "go", "build", "-C", repository, "-overlay", file("overlay.json"), "-trimpath", "-buildvcs=false", "-ldflags=-s -w -X windtunnel.dev/windtunnel/cmd/windtunnel/cli.release=previous", "-o", file(""), "./cmd/windtunnel", "./cmd/windtunnel-manager"},
		{"go", "run", "-C", filepath.Join(repository, "hack", "image"), ".", "-binary", file("windtunnel"), "-binary", file("windtunnel-manager"), "-tag", previousImage, "-output", file("image.tar")},
	} {
		if _, err := command(args[0], args[1:]...); err != nil {
			t.Fatal(err)
		}
	}
	node(t, "load-image", file("image.tar"))
	return engine
}

// deploy installs a version over the one that is there, as docs/install.md says.
func deploy(t *testing.T, image string) {
	t.Helper()
	if _, err := command("make", "-C", root, "deploy", "IMAGE="+image); err != nil {
		t.Fatal(err)
	}
	namespace(systemNamespace).kubectl(t, "rollout", "status", manager, "--timeout=3m")
}

// slowRun is a run of as many simulations as a small storm has.
func slowRun(t *testing.T, name string) []byte {
	t.Helper()
	storm := edited(t, storm(name, 1, 1, stormRequests, 1, slow), name, func(spec map[string]any) {
		for _, field := range []string{"parameters", "search", "objectives"} {
			delete(spec, field)
		}
		spec["replications"] = map[string]any{"count": 30}
	})
	return bytes.Replace(storm, []byte("kind: PolicySweep"), []byte("kind: SimulationRun"), 1)
}

// search looks for the best of the storm's points in several rounds, on nodes with
// the label.
func search(t *testing.T, name string) []byte {
	t.Helper()
	return edited(t, storm(name, 1, 1, stormRequests, 1, "requests: {cpu: 10m}"), name, func(spec map[string]any) {
		parameter := spec["parameters"].([]any)[0].(map[string]any)
		delete(parameter, "values")
		parameter["range"] = map[string]any{"min": "0", "max": "10"}
		spec["search"] = map[string]any{"algorithm": "TPE", "maxTrials": 24}
		spec["execution"].(map[string]any)["podOverrides"] = map[string]any{"nodeSelector": map[string]any{nodeLabel: ""}}
	})
}

// labelNodes gives the nodes a label, or takes it away.
func labelNodes(t *testing.T, label string) {
	t.Helper()
	if _, err := command("kubectl", "label", "nodes", "--all", "--overwrite", label); err != nil {
		t.Error(err)
	}
}

// suspend holds a sweep.
func (ns namespace) suspend(t *testing.T, name string) {
	t.Helper()
	ns.kubectl(t, "patch", name, "--type=merge", `--patch={"spec":{"execution":{"suspend":true}}}`)
	ns.wait(t, "Suspended", name)
}

// speedUp lets an object go on, as fast as the node can.
func (ns namespace) speedUp(t *testing.T, name string) {
	t.Helper()
	ns.kubectl(t, "patch", name, "--type=merge", `--patch={"spec":{"execution":{"suspend":false,"resources":`+fast+`}}}`)
}

// all is the status of objects and what they made that stays, with every byte.
func (ns namespace) all(t *testing.T, names ...string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range names {
		all.WriteString(ns.kubectl(t, "get", name, "-o", `jsonpath={.metadata.uid} {.metadata.generation} {.status}{"\n"}`))
		all.WriteString(ns.kubectl(t, "get", "configmaps,jobs,simulationruns",
			"-l", "sim.windtunnel.dev/name="+strings.TrimPrefix(name, kindOf(name)+"/"),
			"-o", `jsonpath={range .items[*]}{.kind} {.metadata.name} {.metadata.uid} {.data} {.binaryData}{"\n"}{end}`))
	}
	return all.String()
}

// checkStartedAnew checks that the engine of another version begins the object again,
// and that it ends well.
func (ns namespace) checkStartedAnew(t *testing.T, name, engine string) *object {
	t.Helper()
	ns.eventually(t, name, "of engine "+engine, func(o *object) bool { return o.Status.EngineVersion == engine })
	events := ns.kubectl(t, "events", "--for", name)
	if !strings.Contains(events, "JobDeleted") || !strings.Contains(events, "another plan") {
		t.Errorf("%s was not in flight: no event says that its Job made way for another plan:\n%s", name, events)
	}
	ns.speedUp(t, name)
	ns.wait(t, "Complete", name)
	o := ns.get(t, name)
	o.checkComplete(t)
	return o
}

// watchForFailures fails the test for every object that is Failed, were it for a
// moment.
func (ns namespace) watchForFailures(t *testing.T) {
	t.Helper()
	for _, kind := range []string{"policysweeps", "simulationruns"} {
		watch := exec.Command("kubectl", "-n", string(ns), "get", kind, "--watch",
			"-o", `jsonpath={.metadata.name}{"\t"}{.status.conditions[?(@.type=="Failed")]}{"\n"}`)
		var seen strings.Builder
		watch.Stdout = &seen
		if err := watch.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := watch.Process.Kill(); err != nil {
				t.Errorf("the watch for failures ended by itself: %v", err)
			}
			watch.Wait()
			for _, line := range strings.Split(seen.String(), "\n") {
				if name, failed, _ := strings.Cut(line, "\t"); failed != "" {
					t.Errorf("%s was failed: %s", name, failed)
				}
			}
			if seen.Len() == 0 {
				t.Errorf("the watch for failures saw no %s", kind)
			}
		})
	}
}

// kindOf is the kind in a name such as policysweep/weights.
func kindOf(name string) string {
	kind, _, _ := strings.Cut(name, "/")
	return kind
}

// digestOnALaptop runs a manifest with the local verb of its kind, and returns the
// digest of its rows.
func digestOnALaptop(t *testing.T, kind string, manifest []byte) string {
	t.Helper()
	verb := map[string]string{"policysweep": "sweep", "simulationrun": "run"}[kind]
	printed, err := commandWithInput(manifest, root+"/bin/windtunnel", verb, "-f", "-", "-o", "json")
	if err != nil {
		t.Fatal(err)
	}
	local := jsontest.Decode[struct{ Rows []result.Row }](t, []byte(printed))
	digest, err := result.RowsDigest(local.Rows)
	if err != nil {
		t.Fatal(err)
	}
	return digest
}
