// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// kubectlPath is the kubectl beside the API server, or else that of the machine.
func kubectlPath(t *testing.T) string {
	t.Helper()
	if path := filepath.Join(os.Getenv(assetsVar), "kubectl"); os.Getenv(assetsVar) != "" {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	path, err := exec.LookPath("kubectl")
	if err != nil {
		t.Skip("no kubectl: hack/kube-assets.sh kubectl builds one")
	}
	return path
}

// kubectl runs kubectl against the server and returns what it prints.
func (s *server) kubectl(t *testing.T, args ...string) string {
	t.Helper()
	out, err := output(t, kubectlPath(t), append([]string{"--kubeconfig", s.kubeconfig}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// explained is the description that kubectl explain prints of a field. The API server
// publishes the schema of a new definition a moment after it serves the kind.
func (s *server) explained(t *testing.T, field string) string {
	t.Helper()
	for {
		out, err := output(t, kubectlPath(t), "--kubeconfig", s.kubeconfig, "explain", field)
		if err == nil {
			_, out, _ = strings.Cut(out, "DESCRIPTION:")
			out, _, _ = strings.Cut(out, "FIELDS:")
			return strings.TrimSpace(out)
		}
		select {
		case <-t.Context().Done():
			t.Fatal(err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// TestDefinitionsAreAppliedByTheClient applies the definitions of the manifests and
// of the chart as kubectl does without --server-side: it writes them a second time,
// into an annotation, and the API server refuses annotations of more than 256 KiB.
func TestDefinitionsAreAppliedByTheClient(t *testing.T) {
	kubectlPath(t)
	chartFile := filepath.Join(t.TempDir(), "crds.yaml")
	text, err := helm(t, "template", "windtunnel", chart, "--namespace", namespace, "--kube-version", "1.34", "--show-only", "templates/crds.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(chartFile, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, source := range map[string][]string{
		"manifests": {"-k", root + "/config/crd"},
		"chart":     {"-f", chartFile},
	} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t)
			apply := append([]string{"apply", "--server-side=false"}, source...)
			if out := s.kubectl(t, apply...); strings.Count(out, " created") != 2 {
				t.Errorf("kubectl apply says\n%s, want two definitions created", out)
			}
			if again := s.kubectl(t, apply...); strings.Count(again, " unchanged") != 2 {
				t.Errorf("a second apply says\n%s, want two definitions unchanged", again)
			}
			for _, definition := range []string{"policysweeps.sim.windtunnel.dev", "simulationruns.sim.windtunnel.dev"} {
				s.kubectl(t, "wait", "--for=condition=Established", "--timeout=60s", "crd/"+definition)
				var crd apiextensionsv1.CustomResourceDefinition
				s.has(t, "", definition, &crd)
				if kept := crd.Annotations["kubectl.kubernetes.io/last-applied-configuration"]; len(kept) < 10_000 {
					t.Errorf("%s has %d bytes in the annotation of kubectl: it is not applied by the client", definition, len(kept))
				}
				const options = "argocd.argoproj.io/sync-options"
				if got := crd.Annotations[options]; got != "ServerSideApply=true" {
					t.Errorf("%s has %s %q, want ServerSideApply=true", definition, options, got)
				}
			}
			// A sweep's pools refer to those of a run, which kubectl explains.
			reference := strings.Fields(s.explained(t, "policysweep.spec.scenario.pools"))
			if got := s.explained(t, reference[len(reference)-1]+".model"); !strings.Contains(got, "catalogue") {
				t.Errorf("%s lead to\n%s", reference, got)
			}
		})
	}
}
