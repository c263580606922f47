// SPDX-License-Identifier: Apache-2.0

package hostile

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/wasm/wasmtest"
)

// A Program is a routing policy of a bundle that means harm.
type Program struct {
	Name string
	// Routing is the component of the bundle, in YAML.
	Routing string
	// Faults are the kinds of which its fault is one: what a machine is short of first may
	// differ.
	Faults []policy.FaultKind
}

// Harmless stands for no fault: the program ends within all limits.
const Harmless policy.FaultKind = "none"

// Programs returns all there are, in the order of their names.
func Programs() []Program {
	var all []Program
	for language, programs := range map[string]map[string]program{"starlark": starlarkPrograms, "wasm": modules} {
		for _, name := range slices.Sorted(maps.Keys(programs)) {
			p := programs[name]
			all = append(all, Program{language + ": " + name, p.routing(), p.kinds})
		}
	}
	slices.SortFunc(all, func(a, b Program) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// A program is the body of score, a whole source, or a module.
type program struct {
	body, source string
	module       *wasmtest.Module
	kinds        []policy.FaultKind
}

// signals are those that the programs read.
const signals = "signals: [prefix-affinity, queue-depth, kv-utilization]"

func (p *program) routing() string {
	if p.module != nil {
		return "routing: {" + signals + ", wasm: {module: " + base64.StdEncoding.EncodeToString(p.module.Bytes()) + "}}"
	}
	source := p.source
	if source == "" {
		source = "def score(request, endpoints):\n  " + p.body + "\n"
	}
	quoted, err := json.Marshal(source)
	if err != nil {
		panic(fmt.Sprintf("hostile: %v", err))
	}
	return "routing: {" + signals + ", starlark: {source: " + string(quoted) + "}}"
}

func kinds(k ...policy.FaultKind) []policy.FaultKind { return k }

var (
	budget = kinds(policy.BudgetFault)
	failed = kinds(policy.ErrorFault)
	syntax = kinds(policy.SyntaxFault)
	// large programs take what the steps do not count.
	large = kinds(policy.MemoryFault, policy.DeadlineFault)
)

// inOrder ends a body with an answer that is valid.
const inOrder = "return [0 for e in endpoints]"

// starlarkPrograms are programs of the language Starlark.
var starlarkPrograms = map[string]program{
	"loops in loops":                 {body: "return [a for a in range(90000) for b in range(90000)]", kinds: budget},
	"a long range":                   {body: "for i in range(1 << 40): pass\n  " + inOrder, kinds: failed},
	"a loop without end":             {body: "while True: pass\n  " + inOrder, kinds: syntax},
	"recursion":                      {source: "def f(n):\n  return f(n + 1)\ndef score(request, endpoints):\n  return f(0)\n", kinds: failed},
	"recursion of two":               {source: "def f(n):\n  return g(n)\ndef g(n):\n  return f(n)\ndef score(request, endpoints):\n  return f(0)\n", kinds: failed},
	"recursion by an argument":       {source: "def f(g):\n  return g(g)\ndef score(request, endpoints):\n  return f(f)\n", kinds: failed},
	"squares of squares":             {body: "x = 3\n  for i in range(40): x = x * x\n  " + inOrder, kinds: failed},
	"squares that are printed":       {body: "x = 3\n  for i in range(22): x = x * x\n  y = str(x)\n  " + inOrder, kinds: failed},
	"a shift by much":                {body: "x = 1 << (1 << 40)\n  " + inOrder, kinds: failed},
	"shifts of shifts":               {body: "x = 1\n  for i in range(100000): x = x << 500\n  " + inOrder, kinds: append(failed, large...)},
	"a division of large numbers":    {body: "x = 3\n  for i in range(21): x = x * x\n  for i in range(9999): y = (x * x + 1) // x\n  " + inOrder, kinds: failed},
	"a giant string":                 {body: "x = 'a' * (1 << 28)\n  " + inOrder, kinds: failed},
	"a string of all memory":         {body: "x = 'a' * (1 << 50)\n  " + inOrder, kinds: failed},
	"a giant list":                   {body: "x = [0] * (1 << 28)\n  " + inOrder, kinds: failed},
	"a giant tuple":                  {body: "x = (0,) * (1 << 28)\n  " + inOrder, kinds: failed},
	"a giant range as a list":        {body: "x = list(range(1 << 33))\n  " + inOrder, kinds: failed},
	"lists that double":              {body: "x = [0]\n  for i in range(60): x = x + x\n  " + inOrder, kinds: failed},
	"a list that extends itself":     {body: "x = [0]\n  for i in range(60): x.extend(list(x))\n  " + inOrder, kinds: failed},
	"strings that double":            {body: "x = 'a'\n  for i in range(60): x = x + x\n  " + inOrder, kinds: failed},
	"joins of joins":                 {body: "x = 'a'\n  for i in range(60): x = x.join([x, x, x])\n  " + inOrder, kinds: failed},
	"a text replaced by itself":      {body: "x = 'aa'\n  for i in range(60): x = x.replace('a', x)\n  " + inOrder, kinds: failed},
	"formats of formats":             {body: "x = 'a'\n  for i in range(60): x = '{}{}'.format(x, x)\n  " + inOrder, kinds: failed},
	"percents of percents":           {body: "x = 'a'\n  for i in range(60): x = '%s%s' % (x, x)\n  " + inOrder, kinds: failed},
	"quotes of quotes":               {body: "x = '\\\\'\n  for i in range(60): x = repr(x)\n  " + inOrder, kinds: failed},
	"a sort of many":                 {body: "x = sorted(list(range(99999)), key=lambda i: -i)\n  " + inOrder, kinds: budget},
	"a sort of equal texts":          {body: "x = ['a' * 99999] * 99999\n  for i in range(99): sorted(x)\n  " + inOrder, kinds: append(large, policy.BudgetFault)},
	"a dictionary of long keys":      {body: "d = {}\n  for i in range(60000): d['a' * 9999 + str(i)] = 'b' * 9999\n  " + inOrder, kinds: append(large, policy.BudgetFault)},
	"dictionaries in dictionaries":   {body: "d = {}\n  for i in range(60): d = {1: d, 2: [d] * (1 << 22)}\n  " + inOrder, kinds: failed},
	"a list in itself, printed":      {body: "x = []\n  x.append(x)\n  y = str([x] * 99)\n  " + inOrder, kinds: failed},
	"shared lists, printed":          {body: "x = [0]\n  for i in range(40): x = [x, x]\n  y = str(x)\n  " + inOrder, kinds: failed},
	"shared lists, compared":         {body: "x = [0]\n  y = [0]\n  for i in range(90):\n    x = [x, x]\n    y = [y, y]\n  z = x == y\n  " + inOrder, kinds: append(append(failed, large...), Harmless)},
	"a deep list, printed":           {body: "x = [0]\n  for i in range(60000): x = [x]\n  y = str(x)\n  " + inOrder, kinds: budget},
	"a long text, searched":          {body: "x = 'a' * (1 << 24)\n  for i in range(99999): x.count('aab')\n  " + inOrder, kinds: failed},
	"a long text, split":             {body: "x = ('a,' * (1 << 24)).split(',')\n  " + inOrder, kinds: failed},
	"texts that are split":           {body: "x = 'a ' * 49999\n  y = [x.split() for i in range(9999)]\n  " + inOrder, kinds: large},
	"a long text as elements":        {body: "x = list(('a' * (1 << 26)).elems())\n  " + inOrder, kinds: failed},
	"64 KB of brackets":              {source: strings.Repeat("(", 64<<10), kinds: syntax},
	"brackets that close":            {source: "x = " + strings.Repeat("(", 30_000) + "0" + strings.Repeat(")", 30_000) + "\n", kinds: append(syntax, policy.TypeFault, policy.CrashFault)},
	"deep lists in the source":       {source: "x = " + strings.Repeat("[", 30_000) + strings.Repeat("]", 30_000) + "\n", kinds: append(syntax, policy.TypeFault, policy.CrashFault)},
	"64 KB of minus":                 {source: "x = " + strings.Repeat("-", 60_000) + "1\n", kinds: append(syntax, policy.TypeFault, policy.CrashFault)},
	"a long sum in the source":       {source: "x = 1" + strings.Repeat("+1", 30_000) + "\n", kinds: kinds(policy.TypeFault)},
	"the top level takes the memory": {source: "x = 'a' * (1 << 28)\ny = x + x\n", kinds: failed},
	"an import":                      {source: "load('os', 'system')\n", kinds: syntax},
	"a function of Python":           {source: "x = open('/etc/passwd')\n", kinds: syntax},
	"NaN":                            {body: "return [float('nan') for e in endpoints]", kinds: kinds(policy.NonFiniteFault)},
	"an infinity":                    {body: "return [float('inf') for e in endpoints]", kinds: kinds(policy.NonFiniteFault)},
	"scores for endpoints beyond":    {body: "return [0] * (len(endpoints) + 1)", kinds: kinds(policy.TypeFault)},
	"scores that are texts":          {body: "return ['1' for e in endpoints]", kinds: kinds(policy.TypeFault)},
	"an endpoint beyond":             {body: "return [endpoints[len(endpoints) + 7].queue_depth for e in endpoints]", kinds: failed},
	"a number too large for a float": {body: "x = 3\n  for i in range(12): x = x * x\n  return [x for e in endpoints]", kinds: kinds(policy.TypeFault, policy.NonFiniteFault, policy.ErrorFault)},
	"state between calls":            {source: "seen = []\ndef score(request, endpoints):\n  seen.append(1)\n  return [0 for e in endpoints]\n", kinds: failed},
	"scores by the order of a dict":  {body: "d = {}\n  for e in endpoints: d['%s' % e.queue_depth] = 1\n  return [len(d) for e in endpoints]", kinds: kinds(Harmless)},
	"much that is printed":           {body: "for i in range(99): print('a' * 99999)\n  " + inOrder, kinds: budget},
}

// modules are programs in WebAssembly. Their functions are frame, score and more.
var modules = map[string]program{
	"a loop without end":         {module: scored("loop void br 0 end i32.const 0"), kinds: budget},
	"memory that grows":          {module: scored("loop void i32.const 1 memory.grow i32.const -1 i32.ne br_if 0 end i32.const 0"), kinds: append(large, policy.BudgetFault)},
	"memory that is filled":      {module: scored("i32.const 900 memory.grow drop loop void i32.const 0 i32.const 1 i32.const 50000000 memory.fill br 0 end i32.const 0"), kinds: append(large, policy.BudgetFault)},
	"all memory at the start":    {module: &wasmtest.Module{Pages: 65536, Functions: scored("i32.const 0").Functions}, kinds: kinds(policy.MemoryFault)},
	"recursion":                  {module: scored("local.get 0 call 1"), kinds: failed},
	"a wild pointer of a load":   {module: scored("i32.const -1 i32.load 2147483647"), kinds: failed},
	"a wild pointer of a store":  {module: scored("i32.const -8 i64.const 7 i64.store 0 i32.const 0"), kinds: failed},
	"a buffer beyond the memory": {module: &wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{wasmtest.Frame(-4), scored("i32.const 0").Functions[1]}}, kinds: kinds(policy.ValueFault)},
	"a place beyond the table":   {module: &wasmtest.Module{Pages: 1, Table: []int{1}, Functions: scored("local.get 0 i32.const 9 call_indirect 1").Functions}, kinds: failed},
	"calls that double": {
		module: scored("i32.const 99 call 2 drop i32.const 0", wasmtest.Function{
			Params: "i32", Results: "i32",
			Body: "local.get 0 if void local.get 0 i32.const 1 i32.sub call 2 drop local.get 0 i32.const 1 i32.sub call 2 drop end i32.const 0",
		}),
		kinds: budget,
	},
	"frames of many locals": {
		module: scored("local.get 0 call 2", wasmtest.Function{Params: "i32", Results: "i32", Locals: strings.Repeat("i64 ", 9000), Body: "local.get 0 call 2"}),
		kinds:  append(failed, policy.BudgetFault),
	},
	"memory that is copied": {module: scored("i32.const 900 memory.grow drop loop void i32.const 0 i32.const 1 i32.const 50000000 memory.copy br 0 end i32.const 0"), kinds: budget},
	"a start that loops":    {module: &wasmtest.Module{Pages: 1, Start: 3, Functions: scored("i32.const 0", wasmtest.Function{Body: "loop void br 0 end"}).Functions}, kinds: kinds(policy.BudgetFault, policy.TypeFault, policy.SyntaxFault)},
	"a division by zero":    {module: scored("i32.const 1 i32.const 0 i32.div_s"), kinds: failed},
	"an answer of NaN":      {module: scored("i32.const 0 f64.const nan f64.store 264 i32.const 0"), kinds: kinds(policy.NonFiniteFault)},
	"state between calls": {
		module: &wasmtest.Module{Pages: 1, Globals: []wasmtest.Global{{Type: "i32", Value: "i32.const 0"}}, Functions: scored("global.get 0 i32.const 1 i32.add global.set 0 i32.const 0").Functions},
		kinds:  kinds(policy.NonFiniteFault, Harmless),
	},
	"unreachable": {module: scored("unreachable"), kinds: failed},
	"an import of WASI": {
		module: &wasmtest.Module{Pages: 1, Imports: []wasmtest.Import{{Module: "wasi_snapshot_preview1", Name: "fd_write", Params: "i32 i32 i32 i32", Results: "i32"}}, Functions: scored("i32.const 0").Functions},
		kinds:  kinds(policy.SyntaxFault, policy.ErrorFault, policy.TypeFault),
	},
	"many functions of jumps": {module: jumps(26, 950), kinds: append(large, policy.NonFiniteFault)},
}

// scored is a module whose function score has this code.
func scored(body string, others ...wasmtest.Function) *wasmtest.Module {
	return &wasmtest.Module{Pages: 1, Functions: append([]wasmtest.Function{
		wasmtest.Frame(0), {Export: "score", Params: "i32", Results: "i32", Locals: "i32 f64", Body: body},
	}, others...)}
}

// jumps is a module that takes long to compile.
func jumps(functions, jumps int) *wasmtest.Module {
	m := scored("i32.const 0")
	for range functions {
		m.Functions = append(m.Functions, wasmtest.Function{Params: "i32", Results: "i32", Body: strings.Repeat("loop void local.get 0 br_if 0 end ", jumps) + "i32.const 0"})
	}
	return m
}
