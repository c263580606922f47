// SPDX-License-Identifier: Apache-2.0

package rollouts_test

import (
	"fmt"
	"testing"
	"time"
)

// deployment is an EPP whose file is that of a ConfigMap.
func deployment(config string) []byte {
	return fmt.Appendf(nil, `apiVersion: apps/v1
kind: Deployment
metadata: {name: epp, labels: {app: epp}}
spec:
  replicas: 1
  selector: {matchLabels: {app: epp}}
  template:
    metadata: {labels: {app: epp}}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - {name: epp, image: %q, imagePullPolicy: Never, ports: [{containerPort: 9002}], volumeMounts: [{name: config, mountPath: /etc/epp}]}
      volumes: [{name: config, configMap: {name: %s}}]
`, pauseImage, config)
}

// What Flagger makes of each verdict. Its ConfigMaps of primaries have names of their own.
func TestFlagger(t *testing.T) {
	for name, tc := range map[string]struct {
		candidate
		phase, runs string
		// stays is how long the phase must stay.
		stays time.Duration
	}{
		"a good candidate rolls out":     {candidate: good, phase: "Succeeded", runs: "epp-v2-primary"},
		"a bad candidate is rolled back": {candidate: bad, phase: "Failed", runs: "epp-v1-primary"},
		"too little evidence waits":      {candidate: thin, phase: "Waiting", runs: "epp-v1-primary", stays: 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := newNamespace(t)
			ns.apply(t, tc.files(), nil)
			ns.apply(t, deployment("epp-v1"), nil)
			canary, err := object("config/gates/canary.yaml",
				"windtunnel-flagger.windtunnel-system", flagger, "SHA256", tc.digest(), "interval: 30s", "interval: 5s")
			ns.apply(t, canary, err)
			ns.until(t, "canary/epp", "{.status.phase}", "Initialized")

			ns.apply(t, tc.sweep(), nil)
			ns.apply(t, deployment("epp-v2"), nil)
			if tc.stays > 0 {
				ns.until(t, "policysweep/epp", `{.status.conditions[?(@.type=="Ready")].status}`, "True")
			}
			ns.until(t, "canary/epp", "{.status.phase}", tc.phase)
			for end := time.Now().Add(tc.stays); time.Now().Before(end); time.Sleep(time.Second) {
				if now := ns.get("canary/epp", "{.status.phase}"); now != tc.phase {
					t.Fatalf("the phase is %s after %s", now, tc.phase)
				}
			}
			t.Logf("verdict: %s", ns.get("policysweep/epp", `{.status.conditions[?(@.type=="Passed")].message}`))
			ns.until(t, "deployment/epp-primary", `{.spec.template.spec.volumes[?(@.name=="config")].configMap.name}`, tc.runs)
			ns.events(t, "epp")
		})
	}
}
