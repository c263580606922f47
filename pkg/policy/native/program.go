// SPDX-License-Identifier: Apache-2.0

package native

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// A ProgramSpec is a routing policy whose scores come from a program.
type ProgramSpec struct {
	// Signals are scorers whose scores the program sees.
	Signals []ProgramSignal
	// Names are the workload's.
	Names sandbox.Names
	// Load reads the program for a layout. Errors have paths of their own.
	Load func(*sandbox.Layout) (sandbox.Code, field.ErrorList)
	// TieBreak is as in [Spec].
	TieBreak string
}

// A ProgramSignal is what a program sees of each endpoint in addition to its scrape: the score of
// a scorer, from 0 to 1, or [InFlight].
type ProgramSignal struct {
	// Field is the name of the field. A scorer that looks at prefixes adds another one,
	// whose name ends in _tokens, with the tokens that it believes the endpoint to hold.
	Field string
	// Name is InFlight, or one of [Scorers].
	Name       string
	Parameters map[string]string
}

// InFlight is the signal of the requests that the router sent to an endpoint and whose
// answers have not ended. A router that needs it learns of each answer.
const InFlight = "in-flight"

// LoadProgram checks a ProgramSpec. Errors have the paths of its fields under path.
func LoadProgram(spec ProgramSpec, path *field.Path) (*Config, field.ErrorList) {
	p := programSpec{layout: sandbox.RoutingLayout(spec.Names)}
	var errs field.ErrorList
	var columns []sandbox.Field
	for i := range spec.Signals {
		s, at := &spec.Signals[i], path.Child("signals").Index(i)
		made, es := readSignal(s, at)
		errs = append(errs, es...)
		fields := signalFields(s)
		for _, f := range fields {
			taken := func(other sandbox.Field) bool { return other.Name == f.Name }
			if slices.ContainsFunc(columns, taken) || slices.ContainsFunc(p.layout.Rows.Fields, taken) {
				errs = append(errs, field.Duplicate(at.Child("field"), f.Name))
			}
		}
		columns, p.names, p.signals = append(columns, fields...), append(p.names, s.Name), append(p.signals, made)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	p.layout = p.layout.With(columns...)
	if p.code, errs = spec.Load(p.layout); len(errs) > 0 {
		return nil, errs
	}
	c := &Config{ties: spec.TieBreak, make: p.build}
	if c.ties == "" {
		c.ties = tieRandom
	}
	return c, oneOf(path.Child("tieBreak"), c.ties, tieRandom, tieFirst, tieRotate)
}

// readSignal reads a signal: a scorer of numbers of any size where it is [InFlight].
func readSignal(s *ProgramSignal, path *field.Path) (func(*builder) scorer, field.ErrorList) {
	if s.Name != InFlight {
		return readScorer(&Scorer{Name: s.Name, Parameters: s.Parameters}, path)
	}
	if len(s.Parameters) > 0 {
		return nil, field.ErrorList{field.Forbidden(path.Child("parameters"), InFlight+" has no parameters")}
	}
	return func(b *builder) scorer {
		b.count()
		return inFlight{}
	}, nil
}

// inFlight counts the requests in flight.
type inFlight struct{}

func (inFlight) score(r *round, scores []float64) {
	for i, e := range r.candidates {
		scores[i] = float64(r.inFlight[e])
	}
}

// signalFields are what a signal adds to a row.
func signalFields(s *ProgramSignal) []sandbox.Field {
	if s.Name == InFlight {
		return []sandbox.Field{{Name: s.Field, Kind: sandbox.Integer, Help: "requests that the router sent there and whose answers have not ended"}}
	}
	fields := []sandbox.Field{{Name: s.Field, Kind: sandbox.Number, Help: "the score of " + s.Name + ", 0 to 1"}}
	if SubjectOf(s.Name) == PrefixSubject {
		fields = append(fields, sandbox.Field{Name: s.Field + "_tokens", Kind: sandbox.Integer, Help: "the tokens of the prompt that " + s.Name + " believes the endpoint to hold"})
	}
	return fields
}

type programSpec struct {
	layout  *sandbox.Layout
	names   []string
	signals []func(*builder) scorer
	code    sandbox.Code
}

// program chooses the candidate with the greatest score of a program.
type program struct {
	*sandbox.Caller
	names   []string // of the signals
	signals []scorer
	ties    ties

	scores []float64 // of the candidates; nil where the program has a fault
	part   []float64 // scratch
}

func (s *programSpec) build(b *builder) chooser {
	draw := stats.NewStream(b.seed, "sandbox/routing").Float64
	p := &program{
		Caller: sandbox.NewCaller(s.code, s.layout, b.endpoints, draw, b.faults),
		names:  s.names, ties: newTies(b), part: make([]float64, b.endpoints),
	}
	for _, make := range s.signals {
		made := make(b)
		p.signals = append(p.signals, made)
		if f, ok := made.(follower); ok {
			b.follow(f)
		}
		if x, ok := made.(believer); ok && b.router.believer == nil {
			b.router.believer = x
		}
	}
	return p
}

func (p *program) choose(r *round) int {
	p.fill(r)
	scores, ok := p.Call()
	if p.scores = scores; !ok {
		return 0
	}
	return p.ties.best(scores)
}

// fill shows the program what is known.
func (p *program) fill(r *round) {
	sandbox.FillRequest(p.Frame.Scalars, r.view.Now, r.request)
	p.Frame.Resize(p.Layout, len(r.candidates))
	width, column := p.Layout.Columns(), 0
	for i, e := range r.candidates {
		row := p.Frame.Cells[i*width : (i+1)*width]
		column = width - len(sandbox.FillEndpoint(row, r.view, e))
	}
	for _, s := range p.signals {
		column = p.fillSignal(r, s, column)
	}
}

// fillSignal fills in the columns of a signal from one on, and returns the next one.
func (p *program) fillSignal(r *round, s scorer, column int) int {
	part, width := p.part[:len(r.candidates)], p.Layout.Columns()
	s.score(r, part)
	_, counts := s.(inFlight)
	for i, score := range part {
		if !counts {
			score = min(max(score, 0), 1)
		}
		p.Frame.Cells[i*width+column] = score
	}
	column++
	x, ok := s.(believer)
	if !ok {
		return column
	}
	for i, e := range r.candidates {
		p.Frame.Cells[i*width+column] = float64(x.believed(r, e))
	}
	return column + 1
}

// explain is of the last choice.
func (p *program) explain(r *round, x *Explanation) {
	x.Scores = slices.Clone(p.scores)
	p.ties.explain(x)
	for i, s := range p.signals {
		if s, ok := s.(informed); ok {
			signal := s.signal(r)
			signal.Name = p.names[i]
			x.Signals = append(x.Signals, signal)
		}
	}
}
