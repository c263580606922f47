// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"io"
	"slices"

	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/result"
)

// A listWriter writes several objects in JSON as the items of one v1 List, as
// kubectl get -o json does. An object is all that is written after next.
type listWriter struct {
	w *bufio.Writer
	// items are those that something was written of.
	items int
	// begun is whether something was written of the item; newline whether a line
	// ended that nothing follows yet.
	begun, newline bool
}

const (
	listHead   = "{\n  \"apiVersion\": \"v1\",\n  \"kind\": \"List\",\n  \"items\": [\n"
	listTail   = "\n  ]\n}\n"
	listIndent = "    "
)

func newListWriter(w io.Writer) *listWriter { return &listWriter{w: bufio.NewWriter(w)} }

// next ends the item that was written last.
func (l *listWriter) next() { l.begun, l.newline = false, false }

// Write takes a part of an item, whose lines it indents. JSON has line ends
// between its tokens alone.
func (l *listWriter) Write(text []byte) (int, error) {
	for _, b := range text {
		switch {
		case !l.begun && l.items == 0:
			_, _ = l.w.WriteString(listHead + listIndent) // the writer keeps its error
		case !l.begun:
			_, _ = l.w.WriteString(",\n" + listIndent)
		case l.newline:
			_, _ = l.w.WriteString("\n" + listIndent)
		}
		if !l.begun {
			l.begun = true
			l.items++
		}
		if l.newline = b == '\n'; !l.newline {
			_ = l.w.WriteByte(b)
		}
	}
	// Nothing is kept back: an object's text is not held until the next one is done.
	return len(text), l.w.Flush()
}

// close ends the list. Of a list without items nothing is written.
func (l *listWriter) close() error {
	if l.items > 0 {
		_, _ = l.w.WriteString(listTail)
	}
	return l.w.Flush()
}

// PrintEach does the verb's work for each of several objects, which prints to the
// writer that it is given: in JSON several objects are one List. It goes on where
// an error is an answer, and returns the worst of these.
func (f Format) PrintEach(stdout io.Writer, objects int, do func(i int, stdout io.Writer) error) (err error) {
	var list *listWriter
	if f == JSON && objects > 1 {
		list = newListWriter(stdout)
		stdout = list
		defer func() {
			if closing := list.close(); err == nil {
				err = closing
			}
		}()
	}
	var open error
	for i := range objects {
		if list != nil {
			list.next()
		}
		err := do(i, stdout)
		if err != nil && !IsResult(err) {
			return err
		}
		open = MoreSevere(open, err)
	}
	return open
}

// NamesOf are the names of objects in output that has several of them: what they
// are called, with the namespace where two are called the same. One object alone
// has none, since all of the output is about it.
func NamesOf[T manifest.Object](objects []T) []string {
	names := make([]string, len(objects))
	if len(objects) < 2 {
		return names
	}
	for i, o := range objects {
		names[i] = o.GetName()
		alike := func(p T) bool { return p.GetName() == o.GetName() && p.GetNamespace() != o.GetNamespace() }
		if slices.ContainsFunc(objects, alike) {
			names[i] = o.GetNamespace() + "/" + o.GetName()
		}
	}
	return names
}

// RowsOfObject are rows that say which object they are of; "" leaves them as they are.
func RowsOfObject(rows []result.Row, name string) []result.Row {
	if name == "" {
		return rows
	}
	named := slices.Clone(rows)
	for i := range named {
		named[i].Object = name
	}
	return named
}
