// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/dashboard"
	"windtunnel.dev/windtunnel/pkg/dashboard/cluster"
	"windtunnel.dev/windtunnel/pkg/dashboard/dashboardtest"
)

// mostMemory is what the dashboard may add to a manager with 1,000 objects.
const mostMemory = 30 << 20

// silent is a source without changes.
type silent struct{ *cluster.Source }

// Watch implements [dashboard.Source].
func (silent) Watch(ctx context.Context, _ func(dashboard.Key)) error {
	<-ctx.Done()
	return nil
}

// live is what the heap holds.
func live() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// The cache has the objects already. The dashboard adds what it keeps of its readers: 50 streams, and the
// results of the object that was looked at last.
func TestMemoryBesideAThousandObjects(t *testing.T) {
	sweep, run := dashboardtest.Sweep(t, "team", "routes", "2s"), dashboardtest.Run(t, "team", "slow", "1ms")
	objects := append(sweep, run...)
	for i := range 1000 {
		one := run[0].DeepCopyObject().(*v1alpha1.SimulationRun)
		one.Name, one.UID = fmt.Sprintf("run-%d", i), types.UID(fmt.Sprint(i))
		objects = append(objects, client.Object(one))
	}
	source := silent{sourceOf(t, objects...)}
	before := live()
	server := httptest.NewServer(dashboard.New(dashboard.Options{Source: source, Guard: dashboard.Everyone{}, Log: logr.Discard()}).Handler())
	defer server.Close()
	defer server.CloseClientConnections()
	for range 50 {
		response, err := http.Get(server.URL + "/namespaces/team/simulationruns/slow/events")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if !bufio.NewScanner(response.Body).Scan() {
			t.Fatal("a stream is empty")
		}
	}
	for _, path := range []string{"/", "/namespaces/team/simulationruns/slow/points/0/seeds/42", "/namespaces/team/policysweeps/routes"} {
		response, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", path, response.StatusCode)
		}
	}
	more := int64(live()) - int64(before)
	runtime.KeepAlive(source)
	t.Logf("beside %d objects, 50 streams and a report take %.1f MiB", len(objects), float64(more)/(1<<20))
	if more > mostMemory {
		t.Errorf("%d bytes more, want at most %d", more, mostMemory)
	}
}
