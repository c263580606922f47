// SPDX-License-Identifier: Apache-2.0

package kv

// decodes is which sequences in decode do something in which step. Each of them gets
// room for one more token in each step, so it takes a block once in blockTokens steps,
// in a step that is known from the start: it is enough to count, for each residue of the
// step's number, the sequences that take a block then. A sequence that alone appends to
// a stretch claims it, and its blocks are registered only when another sequence looks
// that stretch up.
type decodes struct {
	blockTokens int
	steps       int64
	// opening[r] counts the sequences that take a block in the steps whose number is r
	// modulo the block size; phase is that of the next step.
	opening []int32
	phase   int
	// prepaid is how many blocks the next step has already taken.
	prepaid int
	// growing[r] is those of them whose windows are not full, which take a block for each
	// of the groups too; nil without windows.
	growing [][]int32
	groups  int
	// stepwise is the sequences that register their blocks in each step, in order of
	// admission: others have those blocks too, or may have them soon.
	stepwise []int32
	// filling[r] is the sequences with a claim that fill a block in the steps whose
	// number is r modulo the block size; nil without a listener.
	filling [][]int32
}

// add counts a sequence whose decode starts.
func (d *decodes) add(q *sequence) {
	q.start = int64(q.tokens) - d.steps
	d.opening[d.opensIn(q.tokens)]++
}

// remove undoes add for a sequence whose tokens are up to date.
func (d *decodes) remove(q *sequence) { d.opening[d.opensIn(q.tokens)]-- }

// opensIn returns the residue of the steps in which a sequence of a number of tokens, as of
// now, takes a block.
func (d *decodes) opensIn(tokens int) int {
	filled := tokens % d.blockTokens
	if filled == 0 {
		return d.phase
	}
	return (d.phase + d.blockTokens - filled) % d.blockTokens
}

// stepNeeds returns how many blocks the next step takes, beyond those that it has taken.
func (d *decodes) stepNeeds() int {
	needs := int(d.opening[d.phase]) - d.prepaid
	if d.growing != nil {
		needs += d.groups * len(d.growing[d.phase])
	}
	return needs
}

// advance counts a step.
func (d *decodes) advance() {
	d.steps++
	d.phase++
	if d.phase == d.blockTokens {
		d.phase = 0
	}
}

// addStepwise puts a sequence among those that register their blocks in each step.
func (d *decodes) addStepwise(sequences []sequence, at int32) {
	q := &sequences[at]
	q.stepwise = true
	i := len(d.stepwise)
	d.stepwise = append(d.stepwise, at)
	for ; i > 0 && sequences[d.stepwise[i-1]].admitted > q.admitted; i-- {
		d.stepwise[i] = d.stepwise[i-1]
	}
	d.stepwise[i] = at
}

func (d *decodes) removeStepwise(sequences []sequence, at int32) {
	sequences[at].stepwise = false
	for i, other := range d.stepwise {
		if other == at {
			d.stepwise = append(d.stepwise[:i], d.stepwise[i+1:]...)
			return
		}
	}
}

// filledNow is the sequences with a claim that filled a block in the last step; none
// without a listener.
func (d *decodes) filledNow() []int32 {
	if d.filling == nil {
		return nil
	}
	return d.filling[d.steps%int64(d.blockTokens)]
}

// fillingOf is the list in filling that a sequence in decode belongs to.
func (d *decodes) fillingOf(q *sequence) *[]int32 {
	block := int64(d.blockTokens)
	return &d.filling[((-q.start)%block+block)%block]
}

// addFilling notes in which steps a sequence with a claim fills its blocks.
func (d *decodes) addFilling(sequences []sequence, at int32) {
	q := &sequences[at]
	list := d.fillingOf(q)
	q.place = int32(len(*list))
	*list = append(*list, at)
}

func (d *decodes) removeFilling(sequences []sequence, q *sequence) {
	list := d.fillingOf(q)
	last := len(*list) - 1
	moved := (*list)[last]
	(*list)[q.place] = moved
	sequences[moved].place = q.place
	*list = (*list)[:last]
}
