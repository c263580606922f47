// SPDX-License-Identifier: Apache-2.0

package scheduler

// An ExplanationPool makes explanations of the memory of released ones. One simulation owns
// it; it is not used concurrently.
type ExplanationPool struct{ free []*Explanation }

// memory is what the lists of an explanation are made of.
type memory struct {
	owner     *ExplanationPool
	ints      []int
	int64s    []int64
	numbers   []Number
	floats    []float64
	endpoints []EndpointSignals
	filters   []FilterRun
	scorers   []ScorerRun
}

// Get returns an empty explanation. It belongs to the caller.
func (p *ExplanationPool) Get() *Explanation {
	if n := len(p.free); n > 0 {
		x := p.free[n-1]
		p.free = p.free[:n-1]
		return x
	}
	return &Explanation{memory: &memory{owner: p}}
}

// Release gives the explanation back to the pool that it is from. Who releases an
// explanation uses neither it nor what it points to any more. It need not be released.
func (x *Explanation) Release() {
	m := x.memory
	if m == nil {
		return
	}
	m.ints, m.int64s, m.numbers, m.floats = m.ints[:0], m.int64s[:0], m.numbers[:0], m.floats[:0]
	m.endpoints, m.filters, m.scorers = m.endpoints[:0], m.filters[:0], m.scorers[:0]
	*x = Explanation{
		memory: m, InFlight: x.InFlight[:0], Prefixes: x.Prefixes[:0], Predictions: x.Predictions[:0],
		Profiles: x.Profiles[:0], Verdicts: x.Verdicts[:0],
	}
	m.owner.free = append(m.owner.free, x)
}

// take returns room for n values, which are not cleared. Where there is not enough,
// the buffer is replaced: values that were taken before stay where they are.
func take[T any](buffer *[]T, n int) []T {
	b := *buffer
	if cap(b)-len(b) < n || b == nil {
		b = make([]T, 0, max(2*cap(b), n, 32))
	}
	*buffer = b[:len(b)+n]
	return b[len(b) : len(b)+n : len(b)+n]
}

// copied returns a copy of values; nil for nil.
func copied[T any](buffer *[]T, values []T) []T {
	if values == nil {
		return nil
	}
	list := take(buffer, len(values))
	copy(list, values)
	return list
}

// Ints copies a list into the memory of the explanation; nil stays nil.
func (x *Explanation) Ints(values []int) []int { return copied(&x.memory.ints, values) }

// Int64s copies a list; see Ints.
func (x *Explanation) Int64s(values []int64) []int64 { return copied(&x.memory.int64s, values) }

// Numbers copies a list; nil where there are no values.
func (x *Explanation) Numbers(values []float64) []Number {
	if len(values) == 0 {
		return nil
	}
	list := take(&x.memory.numbers, len(values))
	for i, value := range values {
		list[i] = Number(value)
	}
	return list
}

// Float returns where a number stands in the memory of the explanation.
func (x *Explanation) Float(value float64) *float64 {
	at := take(&x.memory.floats, 1)
	at[0] = value
	return &at[0]
}

// Int returns where a whole number stands in the memory of the explanation.
func (x *Explanation) Int(value int) *int {
	at := take(&x.memory.ints, 1)
	at[0] = value
	return &at[0]
}

// Int64List returns room for n whole numbers.
func (x *Explanation) Int64List(n int) []int64 { return take(&x.memory.int64s, n) }

// EndpointList returns room for the given number of endpoints, each empty.
func (x *Explanation) EndpointList(n int) []EndpointSignals {
	list := take(&x.memory.endpoints, n)
	clear(list)
	return list
}

// FilterList returns room for n filters, each empty.
func (x *Explanation) FilterList(n int) []FilterRun {
	list := take(&x.memory.filters, n)
	clear(list)
	return list
}

// ScorerList returns room for n scorers, each empty.
func (x *Explanation) ScorerList(n int) []ScorerRun {
	list := take(&x.memory.scorers, n)
	clear(list)
	return list
}
