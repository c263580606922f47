// SPDX-License-Identifier: Apache-2.0

package wasmtest

import "fmt"

// Frame is the function frame of modules whose buffer begins at a fixed address.
func Frame(address int) Function {
	return Function{Export: "frame", Params: "i32", Results: "i32", Body: fmt.Sprintf("i32.const %d", address)}
}

// ForEachRow is the body of a function with one parameter, the number of rows, and the
// locals i32 i32: for each row, the code row finds the row's address in local 1, and leaves
// the answer of the row. The buffer begins at the address 0.
func ForEachRow(scalars, columns int, row string) string {
	return fmt.Sprintf(`
		i32.const %d  local.set 1
		local.get 1  local.get 0  i32.const %d  i32.mul  i32.add  local.set 2
		block void
			loop void
				local.get 0  i32.eqz  br_if 1
				local.get 2
				%s
				f64.store 0
				local.get 1  i32.const %d  i32.add  local.set 1
				local.get 2  i32.const 8  i32.add  local.set 2
				local.get 0  i32.const 1  i32.sub  local.set 0
				br 0
			end
		end
		i32.const 0`, 8*scalars, 8*columns, row, 8*columns)
}

// Weighted is a module whose function scores rows by a sum of columns with weights.
func Weighted(function string, scalars, columns int, weights map[int]float64) *Module {
	row := ""
	for column := range columns { // in this order, as sums of other orders differ
		if weight, ok := weights[column]; ok {
			term := fmt.Sprintf("f64.const %v local.get 1 f64.load %d f64.mul ", weight, 8*column)
			if row != "" {
				term += "f64.add "
			}
			row += term
		}
	}
	return &Module{Pages: 1, Functions: []Function{
		Frame(0),
		{Export: function, Params: "i32", Results: "i32", Locals: "i32 i32", Body: ForEachRow(scalars, columns, row)},
	}}
}
