// SPDX-License-Identifier: Apache-2.0

// Package api_test checks the custom resources with a real API server: every bound and
// rule of the schema, every default, every sample. It sends each object to the server
// and to pkg/manifest and compares their answers. Without a server it runs the checks of
// pkg/manifest only.
package api_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

const assetsVar = "KUBEBUILDER_ASSETS"

// apiServer is a kube-apiserver with the CRDs installed.
type apiServer struct {
	env    *envtest.Environment
	config *rest.Config
	http   *http.Client
	client client.Client
}

var (
	startOnce sync.Once
	started   *apiServer
	startErr  error
)

func TestMain(m *testing.M) {
	code := m.Run()
	if started != nil {
		if err := started.env.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(code)
}

// server starts the API server when the first test asks for it.
func server(t *testing.T) *apiServer {
	t.Helper()
	for _, binary := range []string{"etcd", "kube-apiserver"} {
		if _, err := os.Stat(filepath.Join(os.Getenv(assetsVar), binary)); os.Getenv(assetsVar) == "" || err != nil {
			t.Skipf("no API server: set %s to a folder with etcd and kube-apiserver, such as hack/kube-assets.sh builds", assetsVar)
		}
	}
	startOnce.Do(func() { started, startErr = start() })
	if startErr != nil {
		t.Fatalf("start the API server: %v", startErr)
	}
	return started
}

func start() (*apiServer, error) {
	env := &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join("..", "..", "config", "crd", "bases")},
		ErrorIfCRDPathMissing: true,
	}
	config, err := env.Start()
	if err != nil {
		// The server runs on when it is the CRDs that it refuses.
		return nil, errors.Join(err, env.Stop())
	}
	// The tables ask thousands of questions; nobody else is waiting.
	config.QPS = -1
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, err
	}
	return &apiServer{env: env, config: config, http: httpClient, client: c}, nil
}

const (
	jsonType = "application/json"
	yamlType = "application/yaml"
)

// post sends a body as it is, so that the server's own decoder sees it, and
// returns the HTTP status and the answer.
func (s *apiServer) post(t *testing.T, path, contentType string, body []byte) (int, []byte) {
	t.Helper()
	url := strings.TrimSuffix(s.config.Host, "/") + path + "?dryRun=All&fieldValidation=Strict"
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("Accept", jsonType)
	response, err := s.http.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, answer
}

// collection is the path that objects of a kind are posted to.
func collection(kind string) string {
	switch kind {
	case "SimulationRun":
		return "/apis/sim.windtunnel.dev/v1alpha1/namespaces/default/simulationruns"
	case "PolicySweep":
		return "/apis/sim.windtunnel.dev/v1alpha1/namespaces/default/policysweeps"
	case "ConfigMap":
		return "/api/v1/namespaces/default/configmaps"
	default:
		panic("no collection for " + kind)
	}
}
