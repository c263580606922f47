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
// a scorer, from 0 to 1, or one of [DescribeFigures].
type ProgramSignal struct {
	// Field is the name of the field. A scorer that looks at prefixes adds another one,
	// whose name ends in _tokens, with the tokens that it believes the endpoint to hold.
	Field string
	// Name is one of [DescribeFigures] or of [Scorers].
	Name       string
	Parameters map[string]string
}

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

// A figure is a signal that is no scorer: a number of any size. help says what it is, and read
// returns how it is made.
type figure struct {
	name, help string
	kind       sandbox.Kind
	read       func(*reader) func(*builder) scorer
}

// figures are all there are.
var figures = func() []figure {
	all := []figure{
		{"in-flight", "requests that the router sent there and whose answers have not ended", sandbox.Integer, always(countInFlight)},
		{"role", "the role of the endpoint's pool: 1 computes prompts, 2 generates, 3 does both; 0 where the router hands no prompt over", sandbox.Integer, always(showRoles)},
		{"stage", "what the endpoint is chosen for: 1 to decode, 2 to compute the prompt first, 3 to compute it where it is decoded; 0 where the router hands no prompt over", sandbox.Integer, always(showStage)},
	}
	for i := range engineFigures {
		f := &engineFigures[i]
		all = append(all, figure{f.name, f.help, f.kind, func(r *reader) func(*builder) scorer { return readFigure(f, r) }})
	}
	return all
}()

// always is a figure without parameters.
func always(made func(*builder) scorer) func(*reader) func(*builder) scorer {
	return func(*reader) func(*builder) scorer { return made }
}

func findFigure(name string) *figure {
	at := slices.IndexFunc(figures, func(f figure) bool { return f.name == name })
	if at < 0 {
		return nil
	}
	return &figures[at]
}

// readSignal reads a signal: a figure or a scorer.
func readSignal(s *ProgramSignal, path *field.Path) (func(*builder) scorer, field.ErrorList) {
	f := findFigure(s.Name)
	if f == nil {
		return readScorer(&Scorer{Name: s.Name, Parameters: s.Parameters}, path)
	}
	r := newReader(s.Parameters, path.Child("parameters"))
	made := f.read(r)
	return made, r.done()
}

func countInFlight(b *builder) scorer {
	b.count()
	return inFlight{}
}

// ofAnySize scores are no shares.
type ofAnySize interface{ ofAnySize() }

// inFlight counts the requests in flight.
type inFlight struct{}

func (inFlight) score(r *round, scores []float64) {
	for i, e := range r.candidates {
		scores[i] = float64(r.inFlight[e])
	}
}

func (inFlight) ofAnySize() {}

// signalFields are what a signal adds to a row.
func signalFields(s *ProgramSignal) []sandbox.Field {
	if f := findFigure(s.Name); f != nil {
		return []sandbox.Field{{Name: s.Field, Kind: f.kind, Help: f.help}}
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
	_, free := s.(ofAnySize)
	for i, score := range part {
		if !free {
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
