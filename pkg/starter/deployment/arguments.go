// SPDX-License-Identifier: Apache-2.0

package deployment

import (
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// reference is how a manifest refers to a variable of the container.
var reference = expression(`\$\(([A-Za-z_][A-Za-z0-9_]*)\)`)

// variables are those of a container whose values the manifest states.
func variables(c *corev1.Container) map[string]string {
	values := map[string]string{}
	for _, v := range c.Env {
		if v.ValueFrom == nil {
			values[v.Name] = resolve(v.Value, values)
		}
	}
	return values
}

// maxExpanded bounds the bytes that variables add to a word of a manifest, or to a script: each may have the one
// before it twice.
const maxExpanded = 1 << 20

// resolve puts the values of variables into a text. What has no value stays, as in Kubernetes.
func resolve(text string, values map[string]string) string {
	spent := 0
	return reference().ReplaceAllStringFunc(text, func(found string) string {
		value, ok := values[found[2:len(found)-1]]
		if spent += len(value); !ok || spent > maxExpanded {
			return found
		}
		return value
	})
}

// commands are the programs with their arguments that a container starts: one, or those of a
// script of the shell. ok is false where a script cannot be read.
func commands(c *corev1.Container) (all [][]string, ok bool) {
	values := variables(c)
	var words []string
	if len(c.Command) == 0 && strings.Contains(c.Image, "vllm-openai") {
		words = []string{"vllm", "serve"} // the entry point of vLLM's image
	}
	for _, w := range slices.Concat(c.Command, c.Args) {
		words = append(words, resolve(w, values))
	}
	if script, is := scriptOf(words); is {
		return scriptCommands(script, values)
	}
	return [][]string{words}, true
}

// shells run the text after -c.
var shells = []string{"sh", "bash", "ash", "dash"}

func scriptOf(words []string) (string, bool) {
	for i, w := range words {
		if i > 0 && i+1 < len(words) && strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.HasSuffix(w, "c") && slices.Contains(shells, path.Base(words[0])) {
			return words[i+1], true
		}
	}
	return "", false
}

// scriptCommands are the commands of a script, each with the values of variables that are known. ok is false where
// the script cannot be read, or has too much in its variables.
func scriptCommands(script string, values map[string]string) (all [][]string, ok bool) {
	file, err := syntax.NewParser().Parse(strings.NewReader(script), "")
	if err != nil {
		return nil, false
	}
	spent := 0
	config := &expand.Config{Env: expand.FuncEnviron(func(name string) string {
		if spent += len(values[name]); spent > maxExpanded {
			return ""
		}
		return values[name]
	})}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil && n.Value != nil && !n.Append {
				values[n.Name.Value] = word(config, n.Value)
			}
		case *syntax.CallExpr:
			all = append(all, wordsOf(config, n))
		}
		return true
	})
	if spent > maxExpanded {
		return nil, false
	}
	return all, true
}

// wordsOf are the words of a command. One that only the container can expand is written as the
// script has it.
func wordsOf(config *expand.Config, call *syntax.CallExpr) []string {
	var words []string
	for _, arg := range call.Args {
		if braces := *arg; syntax.SplitBraces(&braces) { // {1..1000000} is that many words
			words = append(words, word(config, arg))
		} else if fields, err := expand.Fields(config, arg); err == nil {
			words = append(words, fields...)
		} else {
			words = append(words, printed(arg))
		}
	}
	if len(words) > 1 && words[0] == "eval" {
		if inner, ok := scriptCommands(strings.Join(words[1:], " "), map[string]string{}); ok && len(inner) > 0 {
			return inner[len(inner)-1]
		}
	}
	return words
}

func word(config *expand.Config, w *syntax.Word) string {
	if text, err := expand.Literal(config, w); err == nil {
		return text
	}
	return printed(w)
}

func printed(w *syntax.Word) string {
	var text strings.Builder
	_ = syntax.NewPrinter().Print(&text, w) // into memory, which takes all
	return text.String()
}

// A flag is an option of a program with the words behind it.
type flag struct {
	name   string
	values []string
}

// flags cuts arguments into the words before the first option and the options. The names have
// dashes in place of underscores, since vLLM takes both.
func flags(args []string) (positional []string, options []flag) {
	for _, arg := range args {
		name, value, given := strings.Cut(arg, "=")
		bare := strings.TrimLeft(name, "-")
		isOption := len(name) > 1 && name[0] == '-' && bare != "" && (bare[0] < '0' || bare[0] > '9')
		switch {
		case isOption:
			f := flag{name: strings.ReplaceAll(bare, "_", "-")}
			if given {
				f.values = []string{value}
			}
			options = append(options, f)
		case len(options) > 0:
			last := &options[len(options)-1]
			last.values = append(last.values, arg)
		default:
			positional = append(positional, arg)
		}
	}
	return positional, options
}

// value is the first word of an option; "" where it has none.
func (f *flag) value() string {
	if len(f.values) == 0 {
		return ""
	}
	return f.values[0]
}
