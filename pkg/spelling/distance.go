// SPDX-License-Identifier: Apache-2.0

// Package spelling measures how similar two words are, for suggestions in error messages.
package spelling

// Distance is the Levenshtein distance in bytes: how many insertions, deletions
// and replacements turn a into b.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
