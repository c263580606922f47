// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"net/http"

	ctrl "sigs.k8s.io/controller-runtime"

	"windtunnel.dev/windtunnel/pkg/access"
	"windtunnel.dev/windtunnel/pkg/dashboard"
	pages "windtunnel.dev/windtunnel/pkg/dashboard/cluster"
)

// mostRowsInManager is how many rows an object may have to be shown by the manager, whose memory is
// for all users.
const mostRowsInManager = 10_000

// mountDashboard adds the pages to what a manager serves. They read runs and sweeps from the
// manager's cache, so that no reader costs the API server a watch.
func mountDashboard(ctx context.Context, mux *http.ServeMux, guard *access.Guard, mgr ctrl.Manager, namespaces []string) {
	readers := pages.Guard{Access: guard}
	mux.Handle("/", dashboard.New(dashboard.Options{
		Source: &pages.Source{Objects: mgr.GetCache(), Informers: mgr.GetCache(), ConfigMaps: mgr.GetAPIReader(), Namespaces: namespaces},
		Guard:  readers, Login: &dashboard.Login{Check: readers.Check}, MostRows: mostRowsInManager,
		Ended: ctx.Done(), Log: mgr.GetLogger().WithName("dashboard"),
	}).Handler())
}
