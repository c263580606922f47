// SPDX-License-Identifier: Apache-2.0

package planner

import (
	"cmp"
	"flag"
	"os"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/realcode"
)

var update = flag.Bool("update", false, "write testdata of pkg/policy/autoscaling/dynamo")

func TestTheGoldenSet(t *testing.T) {
	checkout, filter := os.Getenv("DYNAMO_CHECKOUT"), os.Getenv("FILTERPY_CHECKOUT")
	if checkout == "" || filter == "" {
		t.Skip("set DYNAMO_CHECKOUT to a checkout of ai-dynamo/dynamo at 2a6da14c, and FILTERPY_CHECKOUT to one of rlabbe/filterpy, to ask the real planner")
	}
	all := sequences(220)
	decisions := realcode.Run(t, all, cmp.Or(os.Getenv("PYTHON"), "python3"), "testdata/ask.py", checkout, filter)
	realcode.Check(t, "../../pkg/policy/autoscaling/dynamo/testdata/answers.json.gz", all, decisions, *update)
}
