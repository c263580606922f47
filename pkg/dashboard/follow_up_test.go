// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"net/http"
	"strings"
	"testing"
)

// A sweep explains no requests: the page of a seed of a printed one first makes a run of the point.
func TestSeedsOfPrintedSweeps(t *testing.T) {
	server, _ := serve(t, newShelf(sample(Sweeps, "a", "printed"), sample(Sweeps, "a", "printed@b.json"), sample(Sweeps, "a", "-x")), everything())
	for name, test := range map[string]struct{ path, want string }{
		"a point with a place":       {"printed/points/1", "windtunnel sweep -f MANIFEST --name printed --follow best\nwindtunnel run -f best/printed-best-1.yaml --seed 0 "},
		"of a file among several":    {"printed@b.json/points/1", "windtunnel sweep -f MANIFEST --name printed --follow best\nwindtunnel run -f best/printed-best-1.yaml --seed 0 "},
		"a name that is a flag":      {"-x/points/1", "windtunnel sweep -f MANIFEST --follow best\nwindtunnel run -f best/NAME-best-1.yaml --seed 0 "},
		"a point that is not ranked": {"printed/points/0", "this point is not one of them"},
	} {
		text := whole(t, ask(t, http.MethodGet, server.URL+"/namespaces/a/policysweeps/"+test.path+"/seeds/0", "root"))
		if !strings.Contains(text, test.want) || strings.Contains(text, "run -f MANIFEST") {
			t.Errorf("%s: want %q, and no run of the manifest, in\n%s", name, test.want, text)
		}
	}
}
