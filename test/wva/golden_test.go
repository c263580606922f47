// SPDX-License-Identifier: Apache-2.0

package wva

import (
	"flag"
	"os"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/realcode"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/wva"
)

var update = flag.Bool("update", false, "write testdata of pkg/policy/autoscaling/wva")

const (
	answersPath       = "../../pkg/policy/autoscaling/wva/testdata/answers.json.gz"
	tokensAnswersPath = "../../pkg/policy/autoscaling/wva/testdata/answers_tokens.json.gz"
)

func TestTheGoldenSet(t *testing.T) {
	checkout := os.Getenv("WVA_CHECKOUT")
	if checkout == "" {
		t.Skip("set WVA_CHECKOUT to a checkout of llm-d's workload-variant-autoscaler at b08b1c77 to ask the real analyser")
	}
	all := states(1000)
	decisions := realcode.Ask(t, checkout, "internal/saturation", "testdata/ask.go.txt", all)
	realcode.Check(t, answersPath, all, decisions, *update)
}

func TestTheGoldenSetByTokens(t *testing.T) {
	checkout := os.Getenv("WVA_TOKENS_CHECKOUT")
	if checkout == "" {
		t.Skip("set WVA_TOKENS_CHECKOUT to a checkout of llm-d's workload-variant-autoscaler at 2976e4ee to ask the real analyser by tokens")
	}
	all := sequences(400)
	decisions := realcode.Ask(t, checkout, "internal/engines/saturation", "testdata/ask_tokens.go.txt", all)
	realcode.Check(t, tokensAnswersPath, all, decisions, *update)
}

// State is what the analyser is asked about.
type State struct {
	Config   wva.Config
	Replicas []wva.Replica
	State    wva.State
}
