// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/rest"

	"windtunnel.dev/windtunnel/pkg/kube"
)

func TestTheMachine(t *testing.T) {
	for name, tc := range map[string]struct {
		machine Machine
		want    Level
	}{
		"all is well":        {Machine{TryFence: func(context.Context) error { return nil }}, OK},
		"a part is unfenced": {Machine{TryFence: func(context.Context) error { return nil }, Unbounded: "no limits here"}, Warn},
		"no child starts":    {Machine{TryFence: func(context.Context) error { return errors.New("no") }}, Fail},
	} {
		found := tc.machine.Look(t.Context())
		if len(found) != 2 || found[1].Level != tc.want || Failed(found) != (tc.want == Fail) {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// silent is an API server that never answers.
type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestASilentServerIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, err := kube.New(&rest.Config{Host: "http://silent.example", QPS: -1, Transport: silent{}})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		found := (&Cluster{Client: api}).Look(t.Context())
		if waited := time.Since(start); len(found) != 1 || !Failed(found) || waited != 30*time.Second {
			t.Errorf("after %s: %+v", waited, found)
		}
	})
}

func TestVersionsOfImages(t *testing.T) {
	for image, want := range map[string]string{
		"windtunnel:dev": "dev", "registry.example.com:5000/team/windtunnel:v0.2.0": "v0.2.0",
		"registry.example.com:5000/windtunnel": "", "windtunnel:v1.0.0@sha256:abc": "v1.0.0", "": "",
	} {
		if got := versionOf(image); got != want {
			t.Errorf("%s: %q, want %q", image, got, want)
		}
	}
	for version, want := range map[string]bool{"v0.2.0": true, "dev": false, "v": false, "unknown": false, "": false} {
		if isRelease(version) != want {
			t.Errorf("%s: %v", version, !want)
		}
	}
}

func TestRulesThatReachAServer(t *testing.T) {
	port := func(first, last int32) networkingv1.NetworkPolicyPort {
		at := intstr.FromInt32(first)
		p := networkingv1.NetworkPolicyPort{Port: &at}
		if last > 0 {
			p.EndPort = &last
		}
		return p
	}
	pods := []networkingv1.NetworkPolicyPeer{{}}
	block := []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: "10.0.0.0/8"}}}
	for name, tc := range map[string]struct {
		rule networkingv1.NetworkPolicyEgressRule
		want bool
	}{
		"all":                  {networkingv1.NetworkPolicyEgressRule{}, true},
		"a port":               {networkingv1.NetworkPolicyEgressRule{Ports: []networkingv1.NetworkPolicyPort{port(443, 0)}}, true},
		"a range":              {networkingv1.NetworkPolicyEgressRule{Ports: []networkingv1.NetworkPolicyPort{port(6000, 7000)}}, true},
		"another range":        {networkingv1.NetworkPolicyEgressRule{Ports: []networkingv1.NetworkPolicyPort{port(8000, 9000)}}, false},
		"pods alone":           {networkingv1.NetworkPolicyEgressRule{To: pods}, false},
		"a block of addresses": {networkingv1.NetworkPolicyEgressRule{To: block}, true},
	} {
		if got := reachesServer(tc.rule); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}
