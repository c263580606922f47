// SPDX-License-Identifier: Apache-2.0

package fence

import (
	"errors"
	"time"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/result"
)

// request is what a child is asked.
type request struct {
	Plan    []byte
	Case    experiment.Case
	Options execute.InsideOptions
	// Bytes and CPU bound the child.
	Bytes int64
	CPU   time.Duration
	// Traces are the names of the traces whose files are open, from firstFile on.
	Traces []string
}

// firstFile is the number of the first open file that is no standard one.
const firstFile = 3

// maxAnswerBytes bounds an answer. Those of the largest samples have some hundred KB.
const maxAnswerBytes = 64 << 20

// answer is what a child says: a simulation or an error.
type answer struct {
	Row      *result.Row      `json:",omitempty"`
	Document *result.Document `json:",omitempty"`
	// Stability is what the document leaves out when it is written.
	Stability []result.ReplicaStability `json:",omitempty"`
	Decisions []byte                    `json:",omitempty"`
	Series    *result.Series            `json:",omitempty"`
	Failed    *failure                  `json:",omitempty"`
}

// failure is an error that passed from one process to another.
type failure struct {
	Text  string
	Fault *policy.Fault `json:",omitempty"`
	// Invalid says that the values of the point do not go together.
	Invalid bool `json:",omitempty"`
}

// Error returns the words of the error in the child.
func (f *failure) Error() string { return f.Text }

// Unwrap returns what callers ask for.
func (f *failure) Unwrap() []error {
	var all []error
	if f.Fault != nil {
		all = append(all, f.Fault)
	}
	if f.Invalid {
		all = append(all, execute.ErrInvalidPoint)
	}
	return all
}

// answerOf is the answer of a child.
func answerOf(s experiment.Simulation, err error) answer {
	if err != nil {
		f := &failure{Text: err.Error(), Invalid: errors.Is(err, execute.ErrInvalidPoint)}
		errors.As(err, &f.Fault)
		return answer{Failed: f}
	}
	a := answer{Row: &s.Row, Document: s.Document, Decisions: s.Decisions, Series: s.Series}
	if s.Document != nil {
		a.Stability = s.Document.Stability
	}
	return a
}

// simulation is the result that a child answers with.
func (a *answer) simulation() (experiment.Simulation, error) {
	switch {
	case a.Failed != nil:
		return experiment.Simulation{}, a.Failed
	case a.Row == nil:
		return experiment.Simulation{}, errors.New("the answer has no row")
	}
	if a.Document != nil {
		a.Document.Stability = a.Stability
	}
	return experiment.Simulation{Row: *a.Row, Document: a.Document, Decisions: a.Decisions, Series: a.Series}, nil
}
