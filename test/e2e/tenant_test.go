// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/jsontest"
)

// hostileText clears the screen of a terminal, and turns the direction of writing.
const hostileText = "\x1b[2J\x1b[H\u202e\r\n# **PASS**"

// controls are the characters that a terminal obeys, and those that a reader does not see.
var controls = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]")

// What a program of a tenant says reaches no terminal as it is: not by the status, an event, the
// log of a pod or of the manager, or a verb.
func TestTextsOfAProgram(t *testing.T) {
	t.Parallel()
	ns := newNamespace(t)
	bundle := "apiVersion: sim.windtunnel.dev/v1alpha1\nkind: PolicyBundle\nrouting:\n  starlark:\n    source: |\n" +
		"      def score(request, endpoints):\n          print(TEXT)\n          fail(TEXT)\n"
	text := strconv.QuoteToASCII(hostileText) // the escapes of Go and Starlark are the same
	ns.apply(t, edited(t, smallRun("hostile"), "hostile", func(spec map[string]any) {
		spec["scenario"].(map[string]any)["router"] = map[string]any{
			"policies": map[string]any{"bundle": map[string]any{"inline": strings.ReplaceAll(bundle, "TEXT", text)}},
		}
	}))
	o := ns.eventually(t, "simulationrun/hostile", "at its end", func(o *object) bool {
		return o.condition("Failed").Status == "True" || o.condition("Complete").Status == "True"
	})
	if message := o.condition("Ready").Message; !strings.Contains(message, `\u001b[2J`) {
		t.Errorf("condition Ready does not quote the program: %s", message)
	}
	for _, c := range o.Status.Conditions {
		checkPrintable(t, "condition "+c.Type, c.Message)
	}
	for _, args := range [][]string{
		{"kubectl", "describe", "simulationruns,jobs,pods"},
		{"kubectl", "events"},
		{"kubectl", "logs", "--selector", "app.kubernetes.io/component=worker", "--tail=-1"},
		{"kubectl", "logs", "--namespace", "windtunnel-system", "deployment/windtunnel-manager", "--tail=-1"},
		{root + "/bin/windtunnel", "explain", "hostile"},
		{root + "/bin/windtunnel", "logs", "hostile"},
		{root + "/bin/windtunnel", "watch", "hostile"},
		{root + "/bin/windtunnel", "results", "hostile"},
		{root + "/bin/windtunnel", "report", "hostile"},
		{root + "/bin/windtunnel", "top"},
	} {
		out, err := command(args[0], append([]string{"--namespace=" + string(ns)}, args[1:]...)...)
		if err != nil {
			out += err.Error() // a failed run has another exit code than 0, and no rows
		}
		checkPrintable(t, strings.Join(args, " "), out)
	}
}

func checkPrintable(t *testing.T, of, text string) {
	t.Helper()
	if at := controls.FindStringIndex(text); at != nil {
		t.Errorf("%s: a terminal would obey %q", of, text[max(0, at[0]-60):min(len(text), at[1]+60)])
	}
}

// A Secret is for the service that it names. The URL of another one gets no header, and the
// condition says why.
func TestASecretOfAnotherProposer(t *testing.T) {
	t.Parallel()
	ns := newNamespace(t)
	ns.kubectl(t, "create", "secret", "generic", "windtunnel-proposer", "--from-literal=header=Bearer hidden", "--from-literal=origin=https://proposer.team-a.svc")
	ns.apply(t, edited(t, sample(t, "policysweep-evolve.yaml"), "evolve", func(spec map[string]any) {
		spec["search"].(map[string]any)["maxTrials"] = 36
		evolve := spec["parameters"].([]any)[0].(map[string]any)["evolve"].(map[string]any)
		evolve["proposer"] = map[string]any{
			"url": "http://attacker.example/propose", "headerSecretRef": map[string]any{"name": "windtunnel-proposer", "key": "header"},
		}
	}))
	o := ns.eventually(t, "policysweep/evolve", "without proposals", func(o *object) bool {
		return o.condition("ProposerFailed").Status == "True"
	})
	message := o.condition("ProposerFailed").Message
	if !strings.Contains(message, "is for another service than http://attacker.example:80") || strings.Contains(message, "hidden") || strings.Contains(message, "team-a") {
		t.Errorf("condition ProposerFailed: %s", message)
	}
}

// A promoted ConfigMap that is deleted and created with other weights is named as damaged.
func TestAPromotedConfigMapIsReplaced(t *testing.T) {
	t.Parallel()
	ns := newNamespace(t)
	ns.apply(t, edited(t, sample(t, gatesSample), "gates", nil))
	ns.wait(t, "Complete", "policysweep/gates")
	promoted := ns.get(t, "policysweep/gates").Status.Promoted
	cm := jsontest.Decode[map[string]any](t, []byte(ns.kubectl(t, "get", "configmap", promoted, "-o", "json")))
	data := cm["data"].(map[string]any)
	for key, text := range data {
		data[key] = strings.ReplaceAll(text.(string), "weight: ", "weight: 1")
	}
	delete(cm["metadata"].(map[string]any), "resourceVersion")
	ns.kubectl(t, "delete", "configmap", promoted)
	if _, err := commandWithInput(jsontest.Encode(t, cm), "kubectl", "create", "-f", "-"); err != nil {
		t.Fatal(err)
	}
	ns.eventually(t, "policysweep/gates", "damaged by another ConfigMap", func(o *object) bool {
		c := o.condition("ResultsDamaged")
		return c.Status == "True" && strings.Contains(c.Message, promoted) && strings.Contains(c.Message, "was promoted")
	})
}
