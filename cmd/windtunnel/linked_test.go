// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os/exec"
	"strings"
	"testing"
)

// foreign are packages that no verb of the command may link, with those below them: each start would
// initialise them. ADR 50 has the figures.
var foreign = map[string]string{
	"windtunnel.dev/windtunnel/controllers":                "the operator is windtunnel-manager",
	"windtunnel.dev/windtunnel/cmd/windtunnel/manager":     "the operator is windtunnel-manager",
	"windtunnel.dev/windtunnel/cmd/windtunnel/live":        "what serves in real time is windtunnel-live",
	"windtunnel.dev/windtunnel/pkg/live":                   "what serves in real time is windtunnel-live",
	"sigs.k8s.io/controller-runtime":                       "pkg/kube is the client of the command",
	"k8s.io/client-go/kubernetes":                          "pkg/kube needs no typed clients and schemes",
	"k8s.io/client-go/informers":                           "an informer of client-go/tools/cache takes a ListWatch of pkg/kube",
	"k8s.io/client-go/discovery":                           "a verb names the resources that it reads",
	"k8s.io/api/batch":                                     "the manager alone makes Jobs",
	"k8s.io/apiserver/pkg/server":                          "pkg/access asks the API server by itself",
	"k8s.io/apiserver/pkg/authorization/authorizerfactory": "pkg/access asks the API server by itself",
	"google.golang.org/grpc":                               "nothing speaks gRPC",
}

func TestWhatTheCommandLinks(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for linked := range strings.Lines(string(out)) {
		linked = strings.TrimSpace(linked)
		for not, why := range foreign { // in any order
			if linked == not || strings.HasPrefix(linked, not+"/") {
				t.Errorf("the command links %s: %s; go list -f '{{.ImportPath}} {{.Imports}}' -deps ./cmd/windtunnel says by which way", linked, why)
			}
		}
	}
}
