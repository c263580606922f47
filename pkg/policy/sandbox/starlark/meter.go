// SPDX-License-Identifier: Apache-2.0

package starlark

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

// A meter is a thread whose steps are bounded.
type meter struct {
	thread   *starlark.Thread
	limits   sandbox.Limits
	exceeded bool
	// ending says that the run has fewer steps left than one call may take.
	ending bool
}

func newMeter(limits sandbox.Limits) *meter {
	m := &meter{limits: limits}
	m.thread = &starlark.Thread{
		Name:  "policy",
		Print: func(*starlark.Thread, string) {},
		OnMaxSteps: func(t *starlark.Thread) {
			m.exceeded = true
			t.Cancel("too many steps")
		},
	}
	m.allowCall()
	return m
}

// allowCall lets the thread take the steps of one call, or those that the run has left.
func (m *meter) allowCall() {
	most := m.thread.Steps + m.limits.CallSteps
	m.ending = m.limits.RunSteps < most
	m.thread.SetMaxExecutionSteps(min(most, m.limits.RunSteps))
}

// charge counts work of a built-in function. The interpreter looks at the count before its
// next step.
func charge(t *starlark.Thread, steps int) { t.Steps += uint64(steps) }

// fault says what an error of the interpreter is.
func (m *meter) fault(err error) *policy.Fault {
	f := &policy.Fault{Stage: policy.CallStage, Kind: policy.ErrorFault, Message: policy.Said(err.Error())}
	var eval *starlark.EvalError
	if errors.As(err, &eval) {
		f.Message, f.Line = policy.Said(eval.Msg), lineOf(eval.CallStack)
	}
	if m.exceeded {
		f.Kind, f.Message = policy.BudgetFault, fmt.Sprintf("it takes more than %d steps", m.limits.CallSteps)
		if m.ending {
			f.Stage, f.Message = policy.RunStage, fmt.Sprintf("all calls together take more than %d steps", m.limits.RunSteps)
		}
	}
	return f
}

// lineOf is the line of the innermost frame that is in the source.
func lineOf(stack starlark.CallStack) int {
	for i := len(stack) - 1; i >= 0; i-- {
		if line := int(stack[i].Pos.Line); line > 0 {
			return line
		}
	}
	return 0
}
