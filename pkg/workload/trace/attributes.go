// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"maps"
	"time"

	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/internal/intern"
)

// attributes are what a row of a trace says of a request in addition to its time and its
// lengths. An empty name, and a nil Priority, say nothing.
type attributes struct {
	tenant, class, adapter, model string
	priority                      *int
	headers                       map[string]string
}

func (a attributes) equal(b attributes) bool {
	return a.tenant == b.tenant && a.class == b.class && a.adapter == b.adapter && a.model == b.model &&
		(a.priority == nil) == (b.priority == nil) && (a.priority == nil || *a.priority == *b.priority) &&
		maps.Equal(a.headers, b.headers)
}

// key is equal for equal attributes, but for their headers.
func (a attributes) key() attributesKey {
	k := attributesKey{tenant: a.tenant, class: a.class, adapter: a.adapter, model: a.model, headers: len(a.headers)}
	if a.priority != nil {
		k.prioritised, k.priority = true, *a.priority
	}
	return k
}

type attributesKey struct {
	tenant, class, adapter, model string
	prioritised                   bool
	priority, headers             int
}

// attributeColumns are what rows of a trace say in addition to times and lengths. A column is empty
// where no row of the trace says anything of it: most traces pay nothing.
type attributeColumns struct {
	// sets are the attributes that rows have, each once; set gives the index of a
	// row's, and sets[0] are none.
	sets []attributes
	set  []int32
	// session gives a row's session, from 1 in order of first mention; 0 is none.
	session []int32
	// delay is how long a row's request waits after the end of its session's request
	// before, plus 1 ns; 0 for a row that does not wait. next is the row of the session
	// that waits for the row's end; 0 is none.
	delay []time.Duration
	next  []int32
	links links
}

// columnsBuilder fills the columns of a trace, row after row.
type columnsBuilder struct {
	columns  *attributeColumns
	sets     map[attributesKey][]int32
	sessions map[string]int32
	last     map[int32]int32 // the last row of each session, where rows wait
	named    map[uint64]int32
}

// hasSession reports whether a row before has the session.
func (b *columnsBuilder) hasSession(name string) bool { return b.sessions[name] > 0 }

// addTurn notes which rows row i waits for. Rows come in order, after add.
func (b *columnsBuilder) addTurn(i int, rec *record) {
	c := b.columns
	if rec.named {
		if b.named == nil {
			b.named = map[uint64]int32{}
		}
		b.named[rec.id] = int32(i)
	}
	if rec.delayed {
		c.delay = append(padTo(c.delay, i), rec.delay+1)
	}
	if len(rec.after) > 0 {
		c.links.add(int32(i), rec.after, b.named)
	}
	session := c.sessionOf(i)
	if session == 0 {
		return
	}
	if b.last == nil {
		b.last = map[int32]int32{}
	}
	if rec.delayed && len(rec.after) == 0 {
		c.next = padTo(c.next, i)
		c.next[b.last[session]] = int32(i)
	}
	b.last[session] = int32(i)
}

// delayOf returns how long row i waits after the end of the row before it in its
// session; false where it does not wait.
func (c *attributeColumns) delayOf(i int) (time.Duration, bool) {
	if i < len(c.delay) && c.delay[i] > 0 {
		return c.delay[i] - 1, true
	}
	return 0, false
}

// nextOf returns the row that waits for the end of row i; 0 is none.
func (c *attributeColumns) nextOf(i int) int {
	if i < len(c.next) {
		return int(c.next[i])
	}
	return 0
}

// add notes what row i says. Rows come in order.
func (b *columnsBuilder) add(i int, a attributes, session string) {
	c := b.columns
	if set := b.setOf(a); set > 0 || len(c.set) > 0 {
		c.set = append(padTo(c.set, i), set)
	}
	if number := b.sessionOf(session); number > 0 || len(c.session) > 0 {
		c.session = append(padTo(c.session, i), number)
	}
}

// padTo returns a column with zeros up to n.
func padTo[T int32 | time.Duration](column []T, n int) []T {
	for len(column) < n {
		column = append(column, 0)
	}
	return column
}

func (b *columnsBuilder) setOf(a attributes) int32 {
	if a.equal(attributes{}) {
		return 0
	}
	c := b.columns
	if b.sets == nil {
		b.sets, c.sets = map[attributesKey][]int32{}, []attributes{{}}
	}
	key := a.key()
	for _, i := range b.sets[key] {
		if c.sets[i].equal(a) {
			return i
		}
	}
	i := int32(len(c.sets))
	c.sets, b.sets[key] = append(c.sets, a), append(b.sets[key], i)
	return i
}

func (b *columnsBuilder) sessionOf(name string) int32 {
	if name == "" {
		return 0
	}
	if b.sessions == nil {
		b.sessions = map[string]int32{}
	}
	number, ok := b.sessions[name]
	if !ok {
		number = int32(len(b.sessions) + 1)
		b.sessions[name] = number
	}
	return number
}

// sessionOf returns the session of row i; 0 is none.
func (c *attributeColumns) sessionOf(i int) int32 {
	if i < len(c.session) {
		return c.session[i]
	}
	return 0
}

// setOf returns the index of row i's attributes in sets; 0 are none.
func (c *attributeColumns) setOf(i int) int32 {
	if i < len(c.set) {
		return c.set[i]
	}
	return 0
}

// NamesModels reports whether each row names the base model that it asks for.
func (t *Trace) NamesModels() bool { return t.described == nil && !t.unnamedModels }

// attributeLabels are attributes as the indices that a [workload.Request] has.
type attributeLabels struct {
	tenant, class, adapter, model, headers, priority int
}

// addLabels returns each set of attributes as indices into labels, to which it adds
// the names. What a set does not say is as the labels and the priority that are
// there: index 0 of tenants and classes. Names are printed with results, so they are printable.
func (c *attributeColumns) addLabels(labels *workload.Labels, priority int) []attributeLabels {
	if len(c.sets) == 0 {
		return []attributeLabels{{priority: priority}}
	}
	all := make([]attributeLabels, len(c.sets))
	for i, a := range c.sets {
		l := attributeLabels{priority: priority}
		if a.tenant != "" {
			labels.Tenants, l.tenant = intern.Name(labels.Tenants, printable.Name(a.tenant))
		}
		if a.class != "" {
			labels.Classes, l.class = intern.Name(labels.Classes, printable.Name(a.class))
		}
		if a.adapter != "" {
			labels.Adapters, l.adapter = intern.Name(labels.Adapters, printable.Name(a.adapter))
			l.adapter++
		}
		if a.model != "" {
			labels.Models, l.model = intern.Name(labels.Models, printable.Name(a.model))
			l.model++
		}
		if len(a.headers) > 0 {
			labels.Headers, l.headers = intern.Headers(labels.Headers, a.headers)
			l.headers++
		}
		if a.priority != nil {
			l.priority = *a.priority
		}
		all[i] = l
	}
	return all
}
