// SPDX-License-Identifier: Apache-2.0

package starlark

import (
	"fmt"

	"go.starlark.net/starlark"
)

// weight is the number of values that a comparison or a hash of a value looks at, each as often as it looks: those of
// lists, tuples and dicts, and of the ones within. It counts to just above maxLength. A list that holds a tuple twice,
// which holds another one twice, has a weight that doubles with each of them.
func weight(x starlark.Value) int {
	n := 0
	weigh(x, &n)
	return n
}

func weigh(x starlark.Value, n *int) {
	*n++
	switch x := x.(type) {
	case starlark.Tuple:
		for i := 0; i < len(x) && *n <= maxLength; i++ {
			weigh(x[i], n)
		}
	case *starlark.List:
		for i := 0; i < x.Len() && *n <= maxLength; i++ {
			weigh(x.Index(i), n)
		}
	case *starlark.Dict:
		for _, item := range x.Items() {
			if *n > maxLength {
				return
			}
			weigh(item[0], n)
			weigh(item[1], n)
		}
	case starlark.Iterable: // numbers of a range, endpoints
		*n += lengthOf(x)
	}
}

// weighed is the function that the source calls with what is compared, hashed or searched. It returns its argument.
func weighed(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	switch args[0].(type) {
	case starlark.Tuple, *starlark.List, *starlark.Dict:
		cost, err := boundLength(weight(args[0]))
		if err != nil {
			return nil, fmt.Errorf("a value that is compared, or a key, has more than %d elements with those within", maxLength)
		}
		charge(t, cost)
	}
	return args[0], nil
}

// copied is the function that the source calls with what is sliced or unpacked. It returns its argument.
func copied(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	charge(t, lengthOf(args[0])/bytesOfStep)
	return args[0], nil
}

// copiedNames is copied for names of arguments, each of which the interpreter compares with all others.
func copiedNames(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	n := lengthOf(args[0])
	if n > maxNames {
		return nil, fmt.Errorf("a call with %d named arguments may have %d", n, maxNames)
	}
	return copied(t, nil, args, nil)
}

// maxNames bounds the named arguments of a call.
const maxNames = 255
