// SPDX-License-Identifier: Apache-2.0

package simulator

// seriesBins are the bins of some columns, which are written together: those of a bin stand
// side by side.
type seriesBins struct {
	columns int
	sums    []int64
}

func newSeriesBins(bins, columns int) *seriesBins {
	return &seriesBins{columns: columns, sums: make([]int64, bins*columns)}
}

// at returns the columns of a bin.
func (b *seriesBins) at(bin int) []int64 { return b.sums[bin*b.columns : (bin+1)*b.columns] }

// widen makes each two bins one.
func (b *seriesBins) widen() {
	n := len(b.sums) / b.columns
	for i := range (n + 1) / 2 {
		into := b.at(i)
		copy(into, b.at(2*i))
		if 2*i+1 < n {
			for k, sum := range b.at(2*i + 1) {
				into[k] += sum
			}
		}
	}
	clear(b.sums[(n+1)/2*b.columns:])
}

// column returns the first bins of a column.
func (b *seriesBins) column(k, bins int) []int64 {
	column := make([]int64, bins)
	for i := range column {
		column[i] = b.sums[i*b.columns+k]
	}
	return column
}
