// SPDX-License-Identifier: Apache-2.0

package aibrix

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/realcode"
)

var update = flag.Bool("update", false, "write testdata of pkg/policy/autoscaling/aibrix")

const answersPath = "../../pkg/policy/autoscaling/aibrix/testdata/answers.json.gz"

// Answer is a sequence and what the controller says of each step.
type Answer struct {
	Sequence
	Want json.RawMessage
}

func TestTheGoldenSet(t *testing.T) {
	checkout := os.Getenv("AIBRIX_CHECKOUT")
	if checkout == "" {
		t.Skip("set AIBRIX_CHECKOUT to a checkout of vllm-project/aibrix at e3e10f9e to ask the real controller")
	}
	all := sequences(200)
	decisions := realcode.Ask(t, checkout, "pkg/controller/podautoscaler", "testdata/ask.go.txt", all)
	var answers []Answer
	for i := range all {
		answers = append(answers, Answer{all[i], decisions[i]})
	}
	realcode.Check(t, answersPath, realcode.Marshal(t, answers), *update)
}
