// SPDX-License-Identifier: Apache-2.0

package starlark

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

// callScore calls score of a source with two endpoints.
func callScore(body string) ([]float64, *policy.Fault) {
	l := sandbox.RoutingLayout(names)
	code, fault := Load("def score(request, endpoints):\n  "+strings.ReplaceAll(body, "\n", "\n  "), l, map[string]float64{"half": 0.5}, sandbox.DefaultLimits)
	if fault != nil {
		return nil, fault
	}
	p, _ := code.New(draws(0))
	answer := make([]float64, 2)
	return answer, p.Run(routing(l, 3, 1), answer)
}

// Each way to a large value in few steps ends with a fault before the value is made: a
// number of more than 4096 bits, or more than 100,000 bytes or elements.
func TestLargeValuesAreRefused(t *testing.T) {
	const bits, elements = "more than 4096 bits", "more than 100000 elements"
	for name, tc := range map[string]struct{ body, message string }{
		// 3 to the power of 2^n has 1.58 * 2^n bits: the square is too large with n = 12.
		"a square":                  {"x = 3\nfor i in range(60):\n  x = x * x\nreturn [0, 0]", bits},
		"a square in place":         {"x = 3\nfor i in range(60):\n  x *= x\nreturn [0, 0]", bits},
		"a square of an element":    {"x = [3]\nfor i in range(60):\n  x[0] *= x[0]\nreturn [0, 0]", bits},
		"a square in a lambda":      {"f = lambda x: x * x\nx = 3\nfor i in range(60):\n  x = f(x)\nreturn [0, 0]", bits},
		"shifts":                    {"x = 1\nfor i in range(60):\n  x = x << 500\nreturn [0, 0]", bits},
		"shifts in place":           {"x = 1\nfor i in range(60):\n  x <<= 500\nreturn [0, 0]", bits},
		"a number of many digits":   {"return [int('9' * 2000), 0]", "more than 1300 characters"},
		"a long text":               {"return ['a' * 1000000, 0]", elements},
		"a long text, turned round": {"return [1000000 * 'a', 0]", elements},
		"a long list":               {"return [0] * 1000000", elements},
		"a long tuple":              {"return (0,) * (1 << 40)", elements},
		"long bytes":                {"return [b'a' * 1000000, 0]", elements},
		"a text twice":              {"x = 'a'\nfor i in range(60):\n  x = x + x\nreturn [0, 0]", elements},
		"a text twice in place":     {"x = 'a'\nfor i in range(60):\n  x += x\nreturn [0, 0]", elements},
		"a list twice":              {"x = [0]\nfor i in range(60):\n  x = x + x\nreturn x", elements},
		"a list twice in place":     {"x = [0]\nfor i in range(60):\n  x += x\nreturn x", elements},
		"an element twice":          {"x = [[0]]\nfor i in range(60):\n  x[0] += x[0]\nreturn x", elements},
		"extend":                    {"x = [0]\nfor i in range(60):\n  x.extend(x)\nreturn x", elements},
		"extend by another name":    {"x = [0]\nf = x.extend\nfor i in range(60):\n  f(x)\nreturn x", "must be called, or an argument,"},
		"extend by its name":        {"x = [0]\nfor i in range(60):\n  getattr(x, 'extend')(x)\nreturn x", elements},
		"a format":                  {"x = 'a'\nfor i in range(60):\n  x = '%s%s' % (x, x)\nreturn [0, 0]", elements},
		"a format with names":       {"x = 'a'\nfor i in range(60):\n  x = '%(x)s%(x)s' % {'x': x}\nreturn [0, 0]", elements},
		"a format of an element":    {"x = ['%s']\nx[0] %= 'a'\nreturn [0, 0]", "is not offered"},
		"the method format":         {"x = 'a'\nfor i in range(60):\n  x = '{}{}'.format(x, x)\nreturn [0, 0]", elements},
		"replace":                   {"x = 'a' * 1000\nreturn [x.replace('', x), 0]", elements},
		"join":                      {"x = 'a' * 1000\nreturn [x.join([x] * 200), 0]", elements},
		"a text of nested lists":    {"x = [0]\nfor i in range(60):\n  x = [x, x]\nreturn [str(x), 0]", "only numbers and texts"},
		"a print of nested lists":   {"x = [0]\nfor i in range(60):\n  x = [x, x]\nprint(x)\nreturn [0, 0]", "only numbers and texts"},
		"a fault of nested lists":   {"x = [0]\nfor i in range(60):\n  x = [x, x]\nfail(x)", "only numbers and texts"},
		"a format of nested lists":  {"x = [0]\nfor i in range(60):\n  x = [x, x]\nreturn ['%s' % x, 0]", "only numbers and texts"},
	} {
		t.Run(name, func(t *testing.T) {
			_, fault := callScore(tc.body)
			if fault == nil || !strings.Contains(fault.Message, tc.message) || fault.Line == 0 {
				t.Errorf("%+v, want %s and a line", fault, tc.message)
			}
		})
	}
}

// Each way to much work in few steps ends with a fault within 200,000 steps that cost what they do: a value that holds
// another one twice, which holds another one twice, has 2 to the power of 60 values for a hash, and lists of 300 lists of
// 300 have 90,000 for each comparison, which cost 90,000 ÷ 16 = 5,625 steps.
func TestWorkIsCounted(t *testing.T) {
	const within, steps = "more than 100000 elements with those within", "more than 200000 steps"
	const tree = "x = ()\nfor i in range(60):\n  x = (x, x)\n"
	const squares = "x = [[0] * 300] * 300\ny = [[0] * 300] * 300\n"
	const long = "x = [0] * 90000\nfor i in range(100000):\n  "
	const text = "x = 'a,' * 45000\nfor i in range(100000):\n  "
	for name, tc := range map[string]struct{ body, message string }{
		"a key that doubles":             {tree + "return [{x: 1}[x], 0]", within},
		"a key of a comprehension":       {tree + "d = {k: 1 for k in [x]}\nreturn [0, 0]", within},
		"a key that is asked for":        {tree + "d = {1: 0}\nreturn [d[x], 0]", within},
		"a key that is set":              {tree + "d = {}\nd[x] = 0\nreturn [0, 0]", within},
		"a key that is sought":           {tree + "return [1 if x in {} else 0, 0]", within},
		"a key of get":                   {tree + "return [{}.get(x, 0), 0]", "get: the result has more"},
		"a key of dict":                  {tree + "d = dict([(x, 1)])\nreturn [0, 0]", "dict: the argument has"},
		"a key of update":                {tree + "d = {}\nd.update([(x, 1)])\nreturn [0, 0]", "update: the result has more"},
		"values that double":             {tree + "y = ()\nfor i in range(8):\n  y = (y, y)\nreturn [1 if x == y else 0, 0]", within},
		"values of three dimensions":     {"x = [[[0] * 300] * 300] * 300\ny = [[[0] * 300] * 300] * 300\nreturn [1 if x == y else 0, 0]", within},
		"a list that holds itself":       {"x = []\nx.append(x)\nreturn [1 if x == x else 0, 0]", within},
		"comparisons":                    {squares + "for i in range(100000):\n  z = x == y\nreturn [0, 0]", steps},
		"an order of lists":              {squares + "for i in range(100000):\n  z = x < y\nreturn [0, 0]", steps},
		"an order of three dimensions":   {"x = [[[0] * 300] * 300] * 300\ny = sorted([x, x])\nreturn [0, 0]", "sorted: the argument has"},
		"a search":                       {long + "z = 1 in x\nreturn [0, 0]", steps},
		"a slice":                        {long + "z = x[1:]\nreturn [0, 0]", steps},
		"arguments from a list":          {"f = lambda *a: 1\n" + long + "z = f(*x)\nreturn [0, 0]", steps},
		"an index":                       {long + "z = x.index(0)\nreturn [0, 0]", steps},
		"an insertion":                   {long + "x.insert(0, 1)\nreturn [0, 0]", steps},
		"a list's first one":             {"x = [0] * 90000\nfor i in range(80000):\n  x.pop(0)\nreturn [0, 0]", steps},
		"capital letters":                {text + "z = x.upper()\nreturn [0, 0]", steps},
		"arguments with too many names":  {"f = lambda **a: 1\nd = {'a%d' % i: i for i in range(300)}\nreturn [f(**d), 0]", "a call with 300 named arguments may have 255"},
		"a method that is named in vain": {"x = [0]\nf = x.pop\nreturn [f(), 0]", "must be called, or an argument,"},
	} {
		t.Run(name, func(t *testing.T) {
			_, fault := callScore(tc.body)
			if fault == nil || !strings.Contains(fault.Message, tc.message) {
				t.Errorf("%+v, want %s", fault, tc.message)
			}
		})
	}
}

// The bounds change nothing of what the language gives.
func TestBoundsChangeNothing(t *testing.T) {
	for name, tc := range map[string]struct {
		body string
		want []float64
	}{
		"products of whole numbers":       {"x = 3\ny = 1 << 40\nreturn [x * y, y * x * x]", []float64{3 << 40, 9 << 40}},
		"products in place":               {"x = 3\nx *= x\ny = [2]\ny[0] *= x\nreturn [x, y[0]]", []float64{9, 18}},
		"mixed numbers":                   {"x = 3\ny = 0.5\nreturn [x * y, y * x + parameters.half * x]", []float64{1.5, 3}},
		"sums":                            {"x = 3\ny = 4\nx += y\nreturn [x + y, -y + x]", []float64{11, 3}},
		"lists":                           {"x = [1]\ny = [2]\nreturn x + y", []float64{1, 2}},
		"a list that two names share":     {"x = []\ny = x\nx += [1]\ny += [2]\nreturn x", []float64{1, 2}},
		"a list times a number":           {"n = 2\nx = [7]\nreturn x * n", []float64{7, 7}},
		"a tuple that grows":              {"x = ()\nx += (1,)\nx += (2,)\nreturn x", []float64{1, 2}},
		"dicts":                           {"x = {'a': 1}\ny = x\nx |= {'b': 2}\nz = x | {'a': 5}\nreturn [y['b'], z['a']]", []float64{2, 5}},
		"texts":                           {"x = 'a' + 'b'\ny = x * 3\nreturn [len(y), len(x.join(['c', 'd', 'e']))]", []float64{6, 7}},
		"formats":                         {"return [len('%s-%d' % ('ab', 12)), len('{}{}'.format('ab', 1))]", []float64{5, 3}},
		"a format of one number":          {"x = 12\nreturn [len('%d' % x), len(str(x) + repr('a'))]", []float64{2, 5}},
		"a remainder":                     {"x = 17\nx %= 5\ny = 17.5\nreturn [x, y % 5]", []float64{2, 2.5}},
		"methods":                         {"x = [1]\nx.extend([2])\ny = {}\ny.update([('a', 3)])\nreturn [x[1], y['a']]", []float64{2, 3}},
		"a method by its name":            {"x = [1]\ngetattr(x, 'extend')([2])\nreturn x", []float64{1, 2}},
		"a name that nothing has":         {"return [getattr(endpoints, 'extend', 4), 'aXb'.replace('X', '') == 'ab' and 1 or 0]", []float64{4, 1}},
		"fields of endpoints, squared":    {"return [e.waiting * e.waiting for e in endpoints]", []float64{9, 1}},
		"whole numbers from texts":        {"return [int('12'), int('ff', 16)]", []float64{12, 255}},
		"keys of tuples":                  {"d = {(1, 2): 3}\nd[(3, 4)] = 5\nreturn [d[(1, 2)], d.get((3, 4), 0)]", []float64{3, 5}},
		"searches":                        {"x = [1, 2]\nreturn [1 if 2 in x else 0, 1 if 'b' not in {'a': 1} else 0]", []float64{1, 1}},
		"comparisons":                     {"x = [1, [2, 3]]\ny = [1, [2, 4]]\nreturn [1 if x < y else 0, 1 if x != y else 0]", []float64{1, 1}},
		"slices and places":               {"x = [1, 2, 3]\nreturn [x[1:][0], x[-1]]", []float64{2, 3}},
		"arguments from lists":            {"f = lambda *a, **k: a[1] + k['c']\nreturn [f(*[1, 2], **{'c': 3}), 0]", []float64{5, 0}},
		"places of lists":                 {"x = [3, 1, 2]\nx.insert(0, 9)\nx.remove(1)\nreturn [x.pop(), x.index(3)]", []float64{2, 1}},
		"a method as the key of an order": {"d = {'a': 2, 'b': 1}\nx = sorted(['a', 'b'], key=d.get)\nreturn [d[x[0]], d[max(['a', 'b'], key=d.get)]]", []float64{1, 2}},
		"texts, in parts":                 {"return [len('a,b'.split(',')), 'abc'.find('c')]", []float64{2, 2}},
		"bits":                            {"x = 5\ny = 3\nx |= y\nreturn [x, x & y]", []float64{7, 3}},
		"conditions and shifts in them":   {"x = 1\nreturn [x << 3 if x else 0, (x << 2) * 2]", []float64{8, 8}},
	} {
		t.Run(name, func(t *testing.T) {
			got, fault := callScore(tc.body)
			if fault != nil {
				t.Fatal(fault)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
