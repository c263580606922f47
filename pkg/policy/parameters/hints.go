// SPDX-License-Identifier: Apache-2.0

package parameters

import "slices"

// prefillChunk is the parameter that every policy of priority and of admission has.
const prefillChunk = "prefillChunk"

// PrefillChunks reads what a policy hints to the engines: the most prompt tokens of one
// step, for each class. It is nil where no class has a hint.
func (r *Reader) PrefillChunks(classes []string) []int {
	otherwise := r.Whole(prefillChunk, 0, 0, "the most tokens of a prompt that one step of an engine computes; with 0, the engine decides")
	chunks := r.IntegersOf(prefillChunk, "class", classes, otherwise, "that of one class")
	for i, chunk := range chunks {
		if chunk < 0 {
			r.Invalid(prefillChunk+":"+classes[i], "must be a whole number of at least 0")
		}
	}
	if !slices.ContainsFunc(chunks, func(n int) bool { return n != 0 }) {
		return nil
	}
	return chunks
}

// Hints lists the parameters of PrefillChunks for documentation.
func Hints() []Parameter {
	r := NewReader(nil, nil)
	r.PrefillChunks(nil)
	return r.Known()
}
