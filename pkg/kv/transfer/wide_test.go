// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"math/big"
	"testing"
)

func (a wide) big() *big.Int {
	b := new(big.Int).SetUint64(a.high)
	return b.Lsh(b, 64).Or(b, new(big.Int).SetUint64(a.low))
}

func FuzzWide(f *testing.F) {
	f.Add(uint64(0), uint64(0), uint64(1))
	f.Add(uint64(1<<63-1), uint64(partsPerByte), uint64(7))
	f.Add(^uint64(0), ^uint64(0), uint64(3))
	f.Add(^uint64(0), ^uint64(0), ^uint64(0))
	f.Add(uint64(10), uint64(1), uint64(5))
	f.Fuzz(func(t *testing.T, a, b, c uint64) {
		x, y := product(a, b), wide{low: c}
		modulus := new(big.Int).Lsh(big.NewInt(1), 128)
		want := func(what string, got *big.Int, want *big.Int) {
			if want.Mod(want, modulus); got.Cmp(want) != 0 {
				t.Errorf("%s of %d·%d and %d: %v, want %v", what, a, b, c, got, want)
			}
		}
		bigX, bigY := new(big.Int).Mul(wide{low: a}.big(), wide{low: b}.big()), y.big()
		want("product", x.big(), new(big.Int).Set(bigX))
		want("sum", x.plus(y).big(), new(big.Int).Add(bigX, bigY))
		want("difference", x.minus(y).big(), new(big.Int).Sub(bigX, bigY))
		if c == 0 {
			return
		}
		most := wide{low: ^uint64(0)}.big()
		q, m := new(big.Int).QuoRem(bigX, bigY, new(big.Int))
		gotQ, gotM := x.over(c)
		if q.Cmp(most) > 0 {
			want("quotient, at most", wide{low: gotQ}.big(), most)
			want("quotient rounded up, at most", wide{low: x.overUp(c)}.big(), most)
			return
		}
		want("quotient", wide{low: gotQ}.big(), q)
		want("remainder", wide{low: gotM}.big(), m)
		if m.Sign() > 0 && q.Cmp(most) < 0 {
			q.Add(q, big.NewInt(1))
		}
		want("quotient rounded up", wide{low: x.overUp(c)}.big(), q)
	})
}
