// SPDX-License-Identifier: Apache-2.0

package prompt

// ForAdapter makes the stretches of a prompt those of a request for a LoRA
// adapter, numbered from 1: the same text has other keys and values there, and
// so has no block in common. 0 is the base model, for which they stay.
func ForAdapter(stretches []Stretch, adapter int32) {
	if adapter == 0 {
		return
	}
	for i := range stretches {
		stretches[i].ID = mix(stretches[i].ID + uint64(adapter)*golden)
	}
}
