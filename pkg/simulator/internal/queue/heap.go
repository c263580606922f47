// SPDX-License-Identifier: Apache-2.0

package queue

// ordered is what a heap holds. Its order leaves no ties.
type ordered[T any] interface{ Before(T) bool }

// SiftUp puts the last element of a binary heap in its place.
func SiftUp[T ordered[T]](h []T) {
	i := len(h) - 1
	e := h[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !e.Before(h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
}

// SiftDown puts the first element of a binary heap in its place.
func SiftDown[T ordered[T]](h []T) {
	if len(h) == 0 {
		return
	}
	e := h[0]
	i := 0
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].Before(h[child]) {
			child++
		}
		if !h[child].Before(e) {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = e
}
