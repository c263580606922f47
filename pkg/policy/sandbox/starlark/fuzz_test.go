// SPDX-License-Identifier: Apache-2.0

package starlark

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

// FuzzSource: any text is a program or a fault with a place in the text. A program decides the
// same each time, and never with numbers that mean nothing.
func FuzzSource(f *testing.F) {
	for _, source := range []string{
		"def score(request, endpoints):\n  return [e.waiting for e in endpoints]",
		"def score(request, endpoints):\n  return [parameters.weight * e.kv_usage + draw() for e in endpoints]",
		"def score(request, endpoints):\n  x = {}\n  for e in endpoints: x[e.number] = e.running\n  return sorted(x.values(), reverse=True)",
		"def f(n): return f(n)\ndef score(request, endpoints): return f(1)",
		"x = [1] * 99\ndef score(request, endpoints):\n  x.append(1)\n  return [float('nan')]",
		"\rA", "load('a', 'b')", "while True: pass", "def score(", "lambda: (yield)", "score = 1", "'%s' % (1,)", "a = math.pow(2, 0.5)",
	} {
		f.Add(source)
	}
	l := sandbox.RoutingLayout(sandbox.Names{Tenants: []string{"a"}, Classes: []string{"b"}})
	limits := sandbox.Limits{CallSteps: 1000, RunSteps: 3000, SourceBytes: 2000}
	f.Fuzz(func(t *testing.T, source string) {
		code, fault := Load(source, l, map[string]float64{"weight": 2}, limits)
		if fault != nil {
			if fault.Message == "" || fault.Line < 0 || fault.Line > 1+strings.Count(source, "\n")+strings.Count(source, "\r") {
				t.Errorf("%+v", fault)
			}
			return
		}
		frame := sandbox.NewFrame(l, 3)
		frame.Resize(l, 3)
		for i := range frame.Cells {
			frame.Cells[i] = float64(i % 7)
		}
		var answers [2][]float64
		for i := range answers {
			next := 0.0
			p, fault := code.New(func() float64 {
				next += 0.125
				return next - float64(int(next))
			})
			if fault != nil {
				t.Fatal(fault)
			}
			for range 3 {
				answer := make([]float64, 3)
				if fault := p.Run(frame, answer); fault != nil {
					answers[i] = append(answers[i], -float64(fault.Line))
					continue
				}
				if fault := sandbox.Check(l.Answer, answer); fault != nil {
					t.Errorf("%v: %v", answer, fault)
				}
				answers[i] = append(answers[i], answer...)
			}
		}
		if diff := cmp.Diff(answers[0], answers[1], cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("two runs of %q (-one +other):\n%s", source, diff)
		}
	})
}
