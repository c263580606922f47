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

// samples are the documents of all sample files, by file and number.
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
				docs[name+"#"+string(rune('1'+i))] = doc
			}
		}
	}
	if len(docs) == 0 {
		t.Fatalf("no samples in %s", samplesDir)
	}
	return docs
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
			var head struct{ Kind string }
			if err := yaml.Unmarshal(doc, &head); err != nil {
				t.Fatal(err)
			}
			got := serverVerdict(t, s, head.Kind, yamlType, doc)
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
