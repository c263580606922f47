// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"encoding/json"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/pkg/policy/native"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

// pythonInterface is what the shims tell a language model about programs.
type pythonInterface struct {
	Components map[string]programInterface `json:"components"`
	// Signals are those that a program of the routing may see of each endpoint, with their meaning.
	Signals map[string]string `json:"signals"`
}

type programInterface struct {
	// Function is the head of the function in Starlark, and Answers what it returns.
	Function string `json:"function"`
	Answers  string `json:"answers"`
	// Fields are those of its arguments, with their meaning.
	Fields map[string]string `json:"fields"`
}

var answersInWords = map[sandbox.Answer]string{
	sandbox.Scores:      "a list with a number for each endpoint; the endpoint with the greatest one is chosen",
	sandbox.Verdict:     "True to admit, False to reject, or a delay in seconds",
	sandbox.WholeNumber: "a whole number; higher is more important",
	sandbox.Rank:        "a number; the lowest comes first",
	sandbox.Counts:      "a list with the wanted replicas of each pool",
}

func interfaceOf(l *sandbox.Layout) programInterface {
	p := programInterface{Answers: answersInWords[l.Answer], Fields: map[string]string{}}
	var arguments []string
	add := func(g *sandbox.Group, each string) {
		arguments = append(arguments, g.Name)
		for _, f := range g.Fields {
			p.Fields[g.Name+each+"."+f.Name] = f.Help
		}
	}
	for i := range l.Groups {
		add(&l.Groups[i], "")
	}
	if l.Rows != nil {
		add(l.Rows, "[i]")
	}
	p.Function = "def " + l.Function + "(" + strings.Join(arguments, ", ") + "):"
	return p
}

// python/policy_interface.json is what programs see and answer.
func TestThePythonShimsKnowTheInterface(t *testing.T) {
	none := sandbox.Names{}
	of := pythonInterface{Components: map[string]programInterface{}, Signals: map[string]string{}}
	for _, l := range []*sandbox.Layout{
		sandbox.AdmissionLayout(none), sandbox.PriorityLayout(none), sandbox.RoutingLayout(none), sandbox.SchedulerLayout(none), sandbox.AutoscaleLayout(),
	} {
		of.Components[string(l.Component)] = interfaceOf(l)
	}
	for _, s := range native.DescribeScorers() {
		of.Signals[s.Name] = "greatest for endpoints " + s.Help
	}
	for _, s := range native.DescribeFigures() {
		of.Signals[s.Name] = s.Help
	}
	text, err := json.MarshalIndent(of, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "../../python/policy_interface.json", append(text, '\n'))
}
