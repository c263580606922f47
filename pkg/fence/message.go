// SPDX-License-Identifier: Apache-2.0

package fence

import (
	"errors"
	"time"

	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/inspect"
	"windtunnel.dev/windtunnel/pkg/experiment/whatif"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/result"
)

// request is what a child is asked.
type request struct {
	Plan     []byte
	Case     experiment.Case
	Question inspect.Question
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

// answer is what a child says: what it was asked, or an error.
type answer struct {
	Row      *result.Row      `json:",omitempty"`
	Document *result.Document `json:",omitempty"`
	// Stability is what the document leaves out when it is written.
	Stability []result.ReplicaStability `json:",omitempty"`
	Decisions []byte                    `json:",omitempty"`
	Series    *result.Series            `json:",omitempty"`
	Steps     uint64                    `json:",omitempty"`
	// Report, Summary and Told are those of [inspect.Answer].
	Report  *insight.Report `json:",omitempty"`
	Summary string          `json:",omitempty"`
	Told    *inspect.Told   `json:",omitempty"`
	Failed  *failure        `json:",omitempty"`
}

// failure is an error that passed from one process to another.
type failure struct {
	Text  string
	Fault *policy.Fault `json:",omitempty"`
	// Is has the places of what callers ask for among the causes.
	Is []int `json:",omitempty"`
}

// causes are the errors that callers tell apart.
var causes = []error{execute.ErrInvalidPoint, execute.ErrNoSuchRequest, execute.ErrNoScaler, whatif.ErrNoPick}

// Error returns the words of the error in the child.
func (f *failure) Error() string { return f.Text }

// Unwrap returns what callers ask for.
func (f *failure) Unwrap() []error {
	var all []error
	if f.Fault != nil {
		all = append(all, f.Fault)
	}
	for _, i := range f.Is {
		if i >= 0 && i < len(causes) {
			all = append(all, causes[i])
		}
	}
	return all
}

// answerOf is the answer of a child.
func answerOf(of *inspect.Answer, err error) answer {
	if err != nil {
		f := &failure{Text: err.Error()}
		for i, cause := range causes {
			if errors.Is(err, cause) {
				f.Is = append(f.Is, i)
			}
		}
		errors.As(err, &f.Fault)
		return answer{Failed: f}
	}
	if of.Told != nil {
		return answer{Told: of.Told}
	}
	s := &of.Simulation
	a := answer{Row: &s.Row, Document: s.Document, Decisions: s.Decisions, Series: s.Series, Steps: s.Steps, Report: of.Report, Summary: of.Summary}
	if s.Document != nil {
		a.Stability = s.Document.Stability
	}
	return a
}

// inspected is what a child answers with.
func (a *answer) inspected() (*inspect.Answer, error) {
	switch {
	case a.Failed != nil:
		return nil, a.Failed.printable()
	case !isPrintable(a.Summary) || a.Told != nil && !isPrintable(a.Told.Table):
		return nil, crash("its process answered with characters that control a terminal")
	case a.Told != nil:
		return &inspect.Answer{Told: a.Told}, nil
	case a.Row == nil:
		return nil, errors.New("the answer has no row")
	}
	if a.Document != nil {
		a.Document.Stability = a.Stability
	}
	s := experiment.Simulation{Row: *a.Row, Document: a.Document, Decisions: a.Decisions, Series: a.Series, Steps: a.Steps}
	return &inspect.Answer{Simulation: s, Report: a.Report, Summary: a.Summary}, nil
}

// printable is the failure in words that a child which was taken over cannot control a terminal with.
func (f *failure) printable() *failure {
	f.Text = printable.Text(f.Text)
	if f.Fault != nil {
		f.Fault.Message, f.Fault.Component = policy.Said(f.Fault.Message), policy.Said(f.Fault.Component)
	}
	return f
}

// isPrintable reports whether a text can be printed as it is.
func isPrintable(text string) bool { return printable.Text(text) == text }
