// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// proposer is a service that proposes trees, of which one is good. It counts its answers.
func proposer(t *testing.T, answers *atomic.Int64) string {
	t.Helper()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answers.Add(1)
		var q struct{ Generation, Island, Count int }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, `{"policies": [{"note": "by hand", "bundle": {"apiVersion": "sim.windtunnel.dev/v1alpha1", "kind": "PolicyBundle",
			"routing": {"signals": ["prefix-affinity", "in-flight"], "decisionTree": {"root": {"sum": [
				{"field": "endpoints.prefix_affinity", "times": %d.%d}, {"field": "endpoints.in_flight", "times": -0.1}]}}}}},
			{"language": "starlark", "policy": "broken"}]}`, q.Generation, q.Island+1)
	}))
	t.Cleanup(service.Close)
	return service.URL
}

func TestSweepAsksAProposer(t *testing.T) {
	var answers atomic.Int64
	sweep, url, state := evolving(t), proposer(t, &answers), filepath.Join(t.TempDir(), "sweep.state")
	first, _ := windtunnel(t, "sweep", "-f", sweep, "--proposer", url, "--state", state, "--top", "0")
	asked := answers.Load()
	if asked == 0 || !strings.Contains(first, ": proposed: by hand") {
		t.Fatalf("%d answers; the table is\n%s", asked, first)
	}
	// What was answered is not asked again, and the policies are the same.
	second, _ := windtunnel(t, "sweep", "-f", sweep, "--proposer", url, "--state", state, "--top", "0", "--parallelism", "1")
	if answers.Load() != asked || first != second {
		t.Errorf("%d more answers; the table is\n%s\nand not\n%s", answers.Load()-asked, second, first)
	}
	if out, err := windtunnel(t, "results", "-f", state); err != nil || len(out) == 0 {
		t.Errorf("results of the state: %v\n%s", err, out)
	}
	if _, err := windtunnel(t, "sweep", "-f", sweep, "--state", state); err == nil || !strings.Contains(err.Error(), "name the service again by --proposer URL") {
		t.Errorf("without the proposer: %v", err)
	}
}

func TestFaultsOfAProposersFlags(t *testing.T) {
	plain := testfile.Read(t, filepath.Join(cmdtest.Samples, "policysweep-policies.yaml"))
	numbers := filepath.Join(t.TempDir(), "sweep.yaml")
	testfile.Write(t, numbers, plain)
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no URL":       {[]string{evolving(t), "--proposer", "localhost:80"}, `--proposer: "localhost:80" must be a URL such as http://localhost:8080/propose`},
		"no time":      {[]string{evolving(t), "--proposer", "http://localhost", "--proposer-timeout", "0s"}, "--proposer-timeout must be greater than 0"},
		"only numbers": {[]string{numbers, "--proposer", "http://localhost"}, "--proposer needs a parameter that evolves"},
	} {
		_, err := windtunnel(t, append([]string{"sweep", "-f"}, test.args...)...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
}
