// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/gate"
)

// TestACanaryIsRolledOutInSteps applies the samples of canaries: one passes all steps, and one is stopped at
// 50 %, where its replica gets 20 of the 16 requests a second that it serves. A tool that asks before each
// step hears so, and the command says the same on a laptop.
func TestACanaryIsRolledOutInSteps(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	web := freeAddress(t)
	p.startManager(t, p.namespace(t), "--web-bind-address", web)
	token := p.verdictReader(t, ns)
	for sample, answers := range map[string][]string{
		"canary":         {"10: Pass", "25: Pass", "50: Pass", "100: Pass"},
		"canary-stopped": {"10: Pass", "25: Pass", "50: Fail", "100: Fail"},
	} {
		t.Run(sample, func(t *testing.T) {
			file := "../../config/samples/policysweep-" + sample + ".yaml"
			sweep := p.applied(t, ns, file)
			p.until(t, sweep, v1alpha1.ConditionComplete)
			url := "https://" + web + "/apis/sim.windtunnel.dev/v1alpha1/namespaces/" + ns + "/policysweeps/" + sample + "/verdict?step="
			var got []string
			for _, step := range sweep.Spec.Rollout.Steps {
				got = append(got, p.answerAt(t, fmt.Sprint(url, step), token, step))
			}
			if diff := cmp.Diff(answers, got); diff != "" {
				t.Errorf("answers (−want +got):\n%s", diff)
			}
			p.saysTheSameLocally(t, sweep, file)
		})
	}
}

// answerAt asks for the verdict up to a step.
func (p *platform) answerAt(t *testing.T, url, token string, step int32) string {
	t.Helper()
	var answer gate.Answer
	eventually(t, func() string {
		code, text := get(t, url, token)
		if code != http.StatusOK {
			return text
		}
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			return err.Error()
		}
		return ""
	})
	t.Log(answer.Message)
	return fmt.Sprintf("%d: %s", step, answer.Result)
}

// saysTheSameLocally compares a status with what the command prints.
func (p *platform) saysTheSameLocally(t *testing.T, sweep *v1alpha1.PolicySweep, file string) {
	t.Helper()
	passed := meta.FindStatusCondition(sweep.Status.Conditions, v1alpha1.ConditionPassed)
	table, code := p.swept(t, file)
	want := map[string]int{v1alpha1.ReasonGatesPassed: 0, v1alpha1.ReasonGateFailed: 1}[passed.Reason]
	if code != want || !strings.Contains(string(table), ": "+passed.Message+"\n") {
		t.Errorf("exit code %d, want %d: the cluster says %q and the command\n%s", code, want, passed.Message, table)
	}
	raw, _ := p.swept(t, file, "-o", "json")
	local := jsontest.Decode[struct{ Status v1alpha1.PolicySweepStatus }](t, raw)
	if diff := cmp.Diff(local.Status.Steps, sweep.Status.Steps); diff != "" {
		t.Errorf("steps (−laptop +cluster):\n%s", diff)
	}
	if diff := cmp.Diff(local.Status.Gates, sweep.Status.Gates); diff != "" {
		t.Errorf("gates (−laptop +cluster):\n%s", diff)
	}
}

// swept is what the command prints of a sweep, and its exit code.
func (p *platform) swept(t *testing.T, file string, args ...string) ([]byte, int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), p.binary, append([]string{"sweep", "-f", file}, args...)...)
	out, err := cmd.Output()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out, cmd.ProcessState.ExitCode()
}
