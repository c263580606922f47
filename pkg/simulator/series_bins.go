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
	n, columns := len(b.sums)/b.columns, b.columns
	for i := range n / 2 {
		into, first, second := b.sums[i*columns:], b.sums[2*i*columns:], b.sums[(2*i+1)*columns:]
		for k := range columns {
			into[k] = first[k] + second[k]
		}
	}
	if n%2 == 1 {
		copy(b.at(n/2), b.at(n-1))
	}
	clear(b.sums[(n+1)/2*columns:])
}

// column returns the first bins of a column; nil where all are 0.
func (b *seriesBins) column(k, bins int) []int64 {
	some := int64(0)
	for i := range bins {
		some |= b.sums[i*b.columns+k]
	}
	if some == 0 {
		return nil
	}
	column := make([]int64, bins)
	for i := range column {
		column[i] = b.sums[i*b.columns+k]
	}
	return column
}
