// SPDX-License-Identifier: Apache-2.0

package priority

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// classAge is a priority that grows with age: value of the class + age ÷ step. As all
// grow at one rate, their order is known at arrival: it is that of value·step − arrival,
// in ms, which is the priority. Its absolute value means nothing, so a router that sheds
// requests below a priority must not stand behind it.
type classAge struct {
	headStarts []time.Duration // by class
}

func readClassAge(l *loader) func() policy.Priority {
	l.onlyOrder = true
	step := l.Duration("step", 10*time.Second, "the age that is worth 1 of a value")
	otherwise := l.Integer("value", 0, "the value of classes without one of their own")
	c := classAge{}
	for _, value := range l.IntegersOf("value", "class", l.world.Classes, otherwise, "the value of one class") {
		c.headStarts = append(c.headStarts, time.Duration(value)*step)
	}
	return func() policy.Priority { return c }
}

func (c classAge) Prioritize(_ *policy.View, request *policy.Request) (int, policy.Hints) {
	return inMilliseconds(simtime.Time(c.headStarts[request.Class]) - request.Arrival), policy.Hints{}
}

// inMilliseconds rounds a time down to ms, as priorities of a request have.
func inMilliseconds(t simtime.Time) int {
	const ms = simtime.Time(time.Millisecond)
	down := t / ms
	if t%ms < 0 {
		down--
	}
	return int(down)
}
