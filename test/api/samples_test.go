// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

const samplesDir = "../../config/samples"

// samples are the objects of Windtunnel and the ConfigMaps in all sample files, by file and number.
// Helm values, which have no kind, and manifests of others are inputs of these.
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
			text := testfile.Read(t, path)
			name, _ := filepath.Rel(samplesDir, path)
			for i, doc := range bytes.Split(text, []byte("\n---\n")) {
				if isOurs(t, doc) {
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

// isOurs is whether a document is an object of Windtunnel or a ConfigMap.
func isOurs(t *testing.T, doc []byte) bool {
	t.Helper()
	head := head(t, doc)
	return head.GroupVersionKind().Group == v1alpha1.GroupVersion.Group || head.Kind == "ConfigMap"
}

// head is what a document says of its kind.
func head(t *testing.T, doc []byte) metav1.TypeMeta {
	t.Helper()
	var head metav1.TypeMeta
	if err := yaml.Unmarshal(doc, &head); err != nil {
		t.Fatal(err)
	}
	return head
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
			got := serverVerdict(t, s, head(t, doc).Kind, yamlType, doc)
			if !got.accepted() {
				t.Errorf("faults: %v", got.faults)
			}
			compare(t, got, localVerdict(t, doc))
		})
	}
}

// A sample that is not listed is one that `kubectl apply -k` forgets.
func TestKustomizationListsEverySampleForClusters(t *testing.T) {
	text := testfile.Read(t, filepath.Join(samplesDir, "kustomization.yaml"))
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
