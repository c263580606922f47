// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"
	"time"
)

// agentParser reads a file that says when requests of agents began and ended. Such a file has
// no rows in order of time: all of it is read, and then its requests become rows that wait for each other.
type agentParser interface {
	// value reads one JSON value of the file.
	value(text json.RawMessage) error
	// sessions returns what the values came to, the sessions that began others before those, and
	// the size of the blocks in tokens; 0 is none.
	sessions() (all []*agentSession, blockTokens int32, err error)
}

// agentSession is what one agent asks.
type agentSession struct {
	name string
	// parent is the session whose agent began this one; nil is none.
	parent *agentSession
	calls  []*agentCall
	ended  *endedCalls // of calls
	// branches are calls of other sessions that the agent waits for before it goes on; own is that of this session
	// in its parent, if it has one.
	branches []*agentBranch
	own      *agentBranch
}

// agentBranch are calls of a session that its parent waits for, once.
type agentBranch struct{ calls []*agentCall }

// agentCall is a request and its answer as they were recorded.
type agentCall struct {
	value         int   // of the file, from 1
	order         int   // among calls of one time, where sessions do not give it
	start, end    int64 // ns
	input, output int32
	ids           []uint64 // of full blocks
	shared        int      // how many of them the call before has, where the file says so
	model         string
	session       *agentSession
	// waits are the calls that this one waits for; calls may share the list. The file says which if told; otherwise the
	// times do.
	waits []*agentCall
	told  bool
	// named says that others wait for the call by its id.
	named   bool
	id      uint64
	outcome Outcome
}

// row says in which value of the file an error is.
func (c *agentCall) row(err error) error { return atRow(c.value, err) }

// begins orders calls by their beginnings.
func begins(a, b *agentCall) int {
	return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.order, b.order))
}

// agentRecords are the requests of agents as rows.
type agentRecords struct {
	parser      agentParser
	in          io.Reader
	hash        hash.Hash
	names       record // what fields are called
	blockTokens int32
	held        *agentMemory
	read        bool
	calls       []*agentCall
	at          int
	after       []uint64
}

func newAgentRecords(parser agentParser, names record, held *agentMemory, r io.Reader) (records, error) {
	in, err := decompressed(r)
	if err != nil {
		return nil, err
	}
	a := &agentRecords{parser: parser, names: names, held: held, hash: sha256.New()}
	a.in = io.TeeReader(in, a.hash)
	return a, nil
}

func (a *agentRecords) next(rec *record) (bool, error) {
	if !a.read {
		a.read = true
		if err := a.readAll(); err != nil {
			return false, err
		}
	}
	if a.at == len(a.calls) {
		return false, nil
	}
	c := a.calls[a.at]
	a.at++
	a.fill(rec, c)
	return true, nil
}

// fill makes a row of a call.
func (a *agentRecords) fill(rec *record, c *agentCall) {
	*rec = a.names
	rec.row, rec.at, rec.input, rec.output, rec.ids, rec.blockTokens = c.value, c.start, c.input, c.output, c.ids, a.blockTokens
	rec.session, rec.model, rec.named, rec.id, rec.outcome = c.session.name, c.model, c.named, c.id, c.outcome
	if len(c.waits) == 0 {
		return
	}
	rec.delayed, rec.untimed = true, true
	last := slices.MaxFunc(c.waits, func(x, y *agentCall) int { return cmp.Compare(x.end, y.end) })
	rec.delay = time.Duration(max(0, c.start-last.end))
	if c.waits[0].named {
		a.after = a.after[:0]
		for _, w := range c.waits {
			a.after = append(a.after, w.id)
		}
		rec.after = a.after
	}
}

// readAll reads the file and finds which call waits for which.
func (a *agentRecords) readAll() error {
	if err := a.readValues(); err != nil {
		return err
	}
	sessions, blockTokens, err := a.parser.sessions()
	if err != nil {
		return err
	}
	a.blockTokens = blockTokens
	for _, s := range sessions {
		slices.SortStableFunc(s.calls, begins)
		a.calls = append(a.calls, s.calls...)
		s.ended = newEndedCalls(s.calls)
		for _, c := range s.calls {
			c.session = s
		}
	}
	for _, s := range sessions {
		if err := s.findWaits(a.held); err != nil {
			return err
		}
	}
	slices.SortStableFunc(a.calls, begins)
	return a.nameAwaited()
}

// readValues reads the JSON values of the file: one after the other, or in arrays.
func (a *agentRecords) readValues() error {
	values := newAgentValues(a.in, a.held)
	for n := 1; ; n++ {
		value, err := values.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = a.parser.value(value)
		}
		if err != nil {
			return atRow(n, err)
		}
	}
}

// nameAwaited gives ids to calls that others cannot wait for as the one before in their session. Calls come in order.
func (a *agentRecords) nameAwaited() error {
	previous := map[*agentSession]*agentCall{}
	named := map[**agentCall]bool{} // lists, by their beginnings
	for i, c := range a.calls {
		if len(c.waits) > 0 && !named[&c.waits[0]] {
			if slices.ContainsFunc(c.waits, func(w *agentCall) bool { return w.id == 0 }) {
				return c.row(invalidField("agent.parent_ids", "must lead to requests that begin earlier, or at the same time and stand before this one"))
			}
			if named[&c.waits[0]] = len(c.waits) > 1 || c.waits[0] != previous[c.session]; named[&c.waits[0]] {
				for _, w := range c.waits {
					w.named = true
				}
			}
		}
		c.id = uint64(i + 1)
		previous[c.session] = c
	}
	return nil
}

func (a *agentRecords) digest() (string, error) {
	if _, err := io.Copy(io.Discard, a.in); err != nil {
		return "", fmt.Errorf("read: %w", err)
	}
	return hex.EncodeToString(a.hash.Sum(nil)), nil
}

func (a *agentRecords) memory() int64 { return a.held.bytes() }

// warning says what is odd about the file; "" for nothing.
func (a *agentRecords) warning() string {
	if of, is := a.parser.(interface{ warning() string }); is {
		return of.warning()
	}
	return ""
}

// unreplayed implements [failedRecords].
func (a *agentRecords) unreplayed() int {
	if of, is := a.parser.(failedRecords); is {
		return of.unreplayed()
	}
	return 0
}

// agentName checks the name of a session or of a model.
func agentName(field, name string) error {
	if len(name) > maxNameBytes || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
		return invalidField(field, "must be plain text of at most %d bytes, got %.80q", maxNameBytes, name)
	}
	return nil
}

// jsonTokens reads a number of tokens; absent is one that is not there or null.
func jsonTokens(field string, n json.Number, absent error, check func(string, uint64) (int32, error)) (int32, error) {
	if n == "" {
		return 0, absent
	}
	var s jsonScanner
	s.rest = []byte(n)
	count, err := s.integer(field)
	if err != nil || len(s.rest) > 0 {
		return 0, cmp.Or(err, invalidField(field, "must be an integer"))
	}
	return check(field, count)
}

// jsonTime reads a time or a duration of a unit, in ns; 0 where it is not there.
func jsonTime(field string, n json.Number, unit TimeFormat) (int64, error) {
	if n == "" {
		return 0, nil
	}
	ns, err := decimalNs(field, []byte(n), unit)
	if err != nil {
		return 0, err
	}
	return nanoseconds(field, ns)
}

// later returns a time after another, at most the last one that there is.
func later(at, by int64) int64 { return min(at, maxArrivalNs-by) + by }

// within says in which field an error is.
func within(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s.%w", path, err)
}
