// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// TestAProposalIsHeldAgainstWhatRuns applies the sample of a proposal with other
// weights of the prefix scorer: a worse one fails, a like one under few seeds is
// not decided, a better one passes and is promoted.
func TestAProposalIsHeldAgainstWhatRuns(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	raw := testfile.Read(t, "../../config/samples/policysweep-proposal.yaml")
	for name, tc := range map[string]struct {
		current, proposed string
		want              metav1.ConditionStatus
		reason            string
		promoted          string
	}{
		"worse":  {"3", "5", metav1.ConditionFalse, v1alpha1.ReasonGateFailed, ""},
		"alike":  {"3", "4", metav1.ConditionUnknown, v1alpha1.ReasonUndecided, ""},
		"better": {"0", "3", metav1.ConditionTrue, v1alpha1.ReasonGatesPassed, "proposal-promoted"},
	} {
		t.Run(name, func(t *testing.T) {
			ns := p.namespace(t)
			text := strings.Replace(string(raw), "prefix-cache-scorer, weight: 3", "prefix-cache-scorer, weight: "+tc.proposed, 1)
			text = strings.Replace(text, "prefix-cache-scorer, weight: 0", "prefix-cache-scorer, weight: "+tc.current, 1)
			documents := strings.Split(text, "\n---\n")
			for _, document := range documents[:2] {
				var cm corev1.ConfigMap
				if err := yaml.UnmarshalStrict([]byte(document), &cm); err != nil {
					t.Fatal(err)
				}
				p.create(t, ns, &cm)
			}
			var sweep v1alpha1.PolicySweep
			if err := yaml.UnmarshalStrict([]byte(documents[2]), &sweep); err != nil {
				t.Fatal(err)
			}
			p.create(t, ns, &sweep)
			p.until(t, &sweep, v1alpha1.ConditionComplete)
			passed := meta.FindStatusCondition(sweep.Status.Conditions, v1alpha1.ConditionPassed)
			if passed.Status != tc.want || passed.Reason != tc.reason || sweep.Status.Promoted != tc.promoted {
				t.Errorf("Passed is %s by %s (%s), promoted %q", passed.Status, passed.Reason, passed.Message, sweep.Status.Promoted)
			}
			if sweep.Status.Baseline == nil || sweep.Status.Baseline.Summary != "configuration=baseline" {
				t.Errorf("the baseline is %+v", sweep.Status.Baseline)
			}
		})
	}
}
