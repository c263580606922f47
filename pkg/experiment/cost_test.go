// SPDX-License-Identifier: Apache-2.0

package experiment_test

import (
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
)

func TestAWarmUpRuleDoublesTheEstimatedCost(t *testing.T) {
	scenario := experimenttest.Run(t).Spec.Scenario
	once := experiment.EstimatedSeconds(&scenario, nil)
	scenario.Horizon.WarmupRule = v1alpha1.MSERWarmup
	if twice := experiment.EstimatedSeconds(&scenario, nil); once == 0 || twice != 2*once {
		t.Errorf("%v s without the rule, %v s with it", once, twice)
	}
}
