// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const samplesDir = "../../config/samples"

// samples are the objects of Windtunnel in all sample files, by file and number. The Helm
// values among the samples are no objects: they have no kind. An autoscaler is an input of one.
func samples(t *testing.T) map[string][]byte {
	t.Helper()
	docs := map[string][]byte{}
	for _, pattern := range []string{"*.yaml", "*/*.yaml"} {
		paths, err := filepath.Glob(filepath.Join(samplesDir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if filepath.Base(path) == "kustomization.yaml" {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name, _ := filepath.Rel(samplesDir, path)
			for i, doc := range bytes.Split(text, []byte("\n---\n")) {
				if kind := statedKind(t, doc); kind != "" && kind != "HorizontalPodAutoscaler" {
					docs[name+"#"+string(rune('1'+i))] = doc
				}
			}
		}
	}
	if len(docs) == 0 {
		t.Fatalf("no samples in %s", samplesDir)
	}
	return docs
}

// statedKind is the kind that a document states, or "".
func statedKind(t *testing.T, doc []byte) string {
	t.Helper()
	var head struct{ Kind string }
	if err := yaml.Unmarshal(doc, &head); err != nil {
		t.Fatal(err)
	}
	return head.Kind
}

func TestManifestAcceptsEverySample(t *testing.T) {
	for name, doc := range samples(t) {
		t.Run(name, func(t *testing.T) {
			if got := localVerdict(t, doc); !got.accepted() {
				t.Errorf("faults: %v", got.faults)
			}
		})
	}
}

func TestServerAcceptsEverySampleWithTheSameDefaults(t *testing.T) {
	s := server(t)
	for name, doc := range samples(t) {
		t.Run(name, func(t *testing.T) {
			got := serverVerdict(t, s, statedKind(t, doc), yamlType, doc)
			if !got.accepted() {
				t.Errorf("faults: %v", got.faults)
			}
			compare(t, got, localVerdict(t, doc))
		})
	}
}

// A sample that is not listed is one that `kubectl apply -k` forgets.
func TestKustomizationListsEverySampleForClusters(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(samplesDir, "kustomization.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var kustomization struct{ Resources []string }
	if err := yaml.UnmarshalStrict(text, &kustomization); err != nil {
		t.Fatal(err)
	}
	for name := range samples(t) {
		file, _, _ := strings.Cut(name, "#")
		if filepath.Dir(file) == "." && !slices.Contains(kustomization.Resources, file) {
			t.Errorf("kustomization.yaml does not list %s", file)
		}
	}
}
