// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// noted is a distribution of whole numbers that notes what it draws.
type noted struct {
	stats.Uniform
	drawn *[]int
}

func note(least, greatest int) (workload.Lengths, *[]int) {
	drawn := &[]int{}
	return workload.Lengths{
		Distribution: noted{stats.Uniform{Low: float64(least) - 0.5, High: float64(greatest) + 0.5}, drawn}, Min: least, Max: greatest,
	}, drawn
}

func (n noted) Sample(s *stats.Stream) float64 {
	x := math.Round(n.Uniform.Sample(s))
	*n.drawn = append(*n.drawn, int(x))
	return x
}

// next takes the first of the numbers that were drawn.
func next(drawn *[]int) int {
	x := (*drawn)[0]
	*drawn = (*drawn)[1:]
	return x
}

// plainSession writes out the tokens of a session, each a number, from the lengths that
// were drawn. It is the oracle of session.
type plainSession struct {
	spec     *workload.Sessions
	fresh    *int // the last token that somebody said
	prefix   []int
	turns    [][]int // in the context, a summary among them as a turn
	verbatim int     // tokens behind the last summary
	total    int
}

// say returns tokens that nobody said before.
func (s *plainSession) say(n int) []int {
	tokens := make([]int, n)
	for i := range tokens {
		*s.fresh++
		tokens[i] = *s.fresh
	}
	return tokens
}

func (s *plainSession) context() []int {
	all := append([]int(nil), s.prefix...)
	for _, turn := range s.turns {
		all = append(all, turn...)
	}
	return all
}

// add adds tokens to the turn under way.
func (s *plainSession) add(tokens []int) {
	s.turns[len(s.turns)-1] = append(s.turns[len(s.turns)-1], tokens...)
	s.verbatim += len(tokens)
	s.total += len(tokens)
}

// ask adds what a request asks, with so many tokens behind it, and reports whether it is
// short enough.
func (s *plainSession) ask(tokens, behind int) bool {
	switch s.spec.Context {
	case workload.Window:
		for len(s.turns) > 1 && len(s.context())+tokens+behind > s.spec.MaxTokens {
			s.turns = s.turns[1:]
		}
	case workload.Condense:
		if s.verbatim >= s.spec.CondenseEvery {
			n := int(math.Ceil(stats.Pow(float64(s.total), s.spec.CondenseExponent)))
			s.turns, s.verbatim = [][]int{s.say(n)}, 0
		}
	}
	s.add(s.say(tokens))
	return len(s.context())+behind <= s.spec.MaxTokens
}

// bijection holds the tokens of the oracle against places in texts: one is the other.
type bijection struct {
	to   map[int]string
	from map[string]int
}

func (b bijection) holds(tokens []int, source uint64, start int32) error {
	for i, token := range tokens {
		place := fmt.Sprint(source, "/", int(start)+i)
		was, seen := b.to[token]
		token2, taken := b.from[place]
		if seen && was != place || taken && token2 != token {
			return fmt.Errorf("token %d is %s, and %q is token %d", token, place, was, token2)
		}
		b.to[token], b.from[place] = place, token
	}
	return nil
}

// check holds a request against what the oracle expects.
func (b bijection) check(r workload.Request, asked, answer []int) error {
	for _, e := range r.Prompt.Extents {
		n := int(e.Tokens)
		if n > len(asked) {
			return fmt.Errorf("the prompt is longer")
		}
		if err := b.holds(asked[:n], e.Source, e.Start); err != nil {
			return err
		}
		asked = asked[n:]
	}
	if len(asked) > 0 || r.OutputTokens != len(answer) {
		return fmt.Errorf("the prompt is %d tokens shorter; %d are generated, want %d", len(asked), r.OutputTokens, len(answer))
	}
	return b.holds(answer, r.Response, r.ResponseStart)
}

// drawnSession is a client of one user with sessions of a random kind, and the lengths
// that its requests draw; nil where it has none of that kind.
type drawnSession struct {
	client                           workload.Client
	input, output, turns             *[]int
	calls, results, branches, parts  *[]int
	steps, stepTokens, images, image *[]int
}

func newDrawnSession(seed int64) *drawnSession {
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	s := &workload.Sessions{AfterAnswer: true, MaxTokens: 150 + random.IntN(300)}
	d := &drawnSession{client: workload.Client{
		Name: "a", PrefixGroup: "g", PrefixTokens: 7, ClosedLoop: &workload.ClosedLoop{Concurrency: 1}, Sessions: s,
	}}
	c := &d.client
	c.Input, d.input = note(1, 30)
	c.Output, d.output = note(1, 20)
	s.Turns, d.turns = note(1, 12)
	s.Context = []workload.Context{workload.Accumulate, workload.Window, workload.Condense}[random.IntN(3)]
	if s.Context == workload.Condense {
		s.CondenseEvery, s.CondenseExponent = 1+random.IntN(100), 0.3+0.6*random.Float64()
	}
	if random.IntN(2) == 0 {
		s.Tools = &workload.Tools{Probability: 1}
		s.Tools.Calls, d.calls = note(1, 3)
		s.Tools.Result, d.results = note(1, 40)
	}
	if random.IntN(2) == 0 {
		s.Branches = &workload.Branches{Probability: 1, Input: &workload.Lengths{}}
		s.Branches.Count, d.branches = note(1, 3)
		*s.Branches.Input, d.parts = note(1, 9)
	}
	if random.IntN(2) == 0 {
		c.Reasoning = &workload.Reasoning{Kept: random.IntN(2) == 0}
		c.Reasoning.Steps, d.steps = note(1, 3)
		c.Reasoning.TokensPerStep, d.stepTokens = note(1, 15)
	}
	if random.IntN(2) == 0 {
		c.Media = []workload.Media{{Kind: "Image", Probability: 1}}
		c.Media[0].Count, d.images = note(1, 2)
		c.Media[0].Tokens, d.image = note(1, 25)
	}
	return d
}

// sum takes the sum of as many of the numbers that were drawn as count says.
func sum(count, drawn *[]int) int {
	if count == nil {
		return 0
	}
	total := 0
	for range next(count) {
		total += next(drawn)
	}
	return total
}

// plainRun checks the requests of a client's sessions, one after the other.
type plainRun struct {
	*drawnSession
	sent  []workload.Request
	texts bijection
	fresh int
	err   error
}

func (p *plainRun) over() bool { return p.err != nil || len(p.sent) == 0 }

// session goes through one session.
func (p *plainRun) session(number int32, prefix []int) {
	s := &plainSession{spec: p.client.Sessions, fresh: &p.fresh, prefix: prefix}
	for left := next(p.turns); left > 0 && !p.over(); left-- {
		if !p.turn(s, number) {
			return
		}
	}
}

// turn goes through one turn. It returns false where the session ends before its end.
func (p *plainRun) turn(s *plainSession, number int32) bool {
	s.turns = append(s.turns, nil)
	asked, calls, parts, longest := next(p.input), 0, [][]int{nil}, 0
	if p.calls != nil {
		calls = next(p.calls)
	}
	if p.branches != nil {
		parts = nil
		for range next(p.branches) {
			parts = append(parts, s.say(next(p.parts)))
			longest = max(longest, len(parts[len(parts)-1]))
		}
	}
	first := s.total == 0
	if !s.ask(asked+sum(p.images, p.image), longest) && !first {
		return false
	}
	var answers []int
	for _, part := range parts {
		answers = append(answers, p.request(s, number, part)...)
	}
	s.add(answers)
	for ; calls > 0 && !p.over(); calls-- {
		if !s.ask(next(p.results), 0) {
			return false
		}
		s.add(p.request(s, number, nil))
	}
	return true
}

// request checks the next request and returns what of its answer joins the context.
func (p *plainRun) request(s *plainSession, number int32, part []int) []int {
	if p.over() {
		return nil
	}
	r := p.sent[0]
	p.sent = p.sent[1:]
	tokens, reasoned := next(p.output), sum(p.steps, p.stepTokens)
	answer := s.say(reasoned + tokens)
	if err := p.texts.check(r, append(s.context(), part...), answer); err != nil || r.Session != number {
		p.err = fmt.Errorf("request %d of session %d, want %d: %w", r.ID, r.Session, number, err)
	}
	if p.client.Reasoning != nil && !p.client.Reasoning.Kept {
		return answer[reasoned:]
	}
	return answer
}

// Sessions of random kinds say what the oracle says, token for token.
func TestSessionsMatchThePlainSession(t *testing.T) {
	for seed := range int64(60) {
		d := newDrawnSession(seed)
		p := &plainRun{drawnSession: d, texts: bijection{map[int]string{}, map[string]int{}}}
		p.sent = workloadtest.Take(workload.AnsweredAtOnce(workload.NewClients([]workload.Client{d.client}, seed)), 200)
		if len(p.sent) != 200 {
			t.Fatalf("seed %d: %d requests", seed, len(p.sent))
		}
		prefix := (&plainSession{fresh: &p.fresh}).say(d.client.PrefixTokens)
		for number := int32(1); !p.over(); number++ {
			p.session(number, prefix)
		}
		if p.err != nil {
			t.Errorf("seed %d: %v", seed, p.err)
		}
	}
}
