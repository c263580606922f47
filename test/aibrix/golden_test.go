// SPDX-License-Identifier: Apache-2.0

package aibrix

import (
	"flag"
	"os"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/realcode"
)

var update = flag.Bool("update", false, "write testdata of pkg/policy/autoscaling/aibrix")

const answersPath = "../../pkg/policy/autoscaling/aibrix/testdata/answers.json.gz"

func TestTheGoldenSet(t *testing.T) {
	checkout := os.Getenv("AIBRIX_CHECKOUT")
	if checkout == "" {
		t.Skip("set AIBRIX_CHECKOUT to a checkout of vllm-project/aibrix at e3e10f9e to ask the real controller")
	}
	all := sequences(200)
	decisions := realcode.Ask(t, checkout, "pkg/controller/podautoscaler", "testdata/ask.go.txt", all)
	realcode.Check(t, answersPath, all, decisions, *update)
}
