// SPDX-License-Identifier: Apache-2.0

package cmdtest

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cluster"
	"windtunnel.dev/windtunnel/controllers"
	"windtunnel.dev/windtunnel/internal/testing/apiserver"
	"windtunnel.dev/windtunnel/pkg/kube"
)

// Client is a client of a server with objects, to which KUBECONFIG leads.
func Client(t testing.TB, objects ...client.Object) *kube.Client {
	t.Helper()
	apiserver.New(t, controllers.Scheme(), objects...)
	c, err := (&cluster.Options{}).Connect()
	if err != nil {
		t.Fatal(err)
	}
	return c.Client
}
