// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// jsonObject is a JSON object on a line that is being written.
type jsonObject []byte

// key begins a field.
func (o jsonObject) key(name string) jsonObject {
	if len(o) == 0 || o[len(o)-1] == '\n' {
		o = append(o, '{')
	} else {
		o = append(o, ',', ' ')
	}
	return append(append(append(o, '"'), name...), '"', ':', ' ')
}

func (o jsonObject) integer(name string, value int64) jsonObject {
	return strconv.AppendInt(o.key(name), value, 10)
}

func (o jsonObject) unsigned(name string, value uint64) jsonObject {
	return strconv.AppendUint(o.key(name), value, 10)
}

func (o jsonObject) integers(name string, values []uint64) jsonObject {
	o = append(o.key(name), '[')
	for i, value := range values {
		if i > 0 {
			o = append(o, ',', ' ')
		}
		o = strconv.AppendUint(o, value, 10)
	}
	return append(o, ']')
}

// seconds writes ns as a decimal number of seconds.
func (o jsonObject) seconds(name string, ns int64) jsonObject {
	return appendSeconds(o.key(name), ns)
}

// name writes a name, if there is one.
func (o jsonObject) name(field, name string) jsonObject {
	if name == "" {
		return o
	}
	text, err := json.Marshal(name)
	if err != nil {
		panic(fmt.Sprintf("trace: a string that is no JSON: %v", err))
	}
	return append(o.key(field), text...)
}

// end ends the object and the line.
func (o jsonObject) end() []byte { return append(o, '}', '\n') }

// appendSeconds appends ns as a decimal number of seconds, with the digits it needs.
func appendSeconds(line []byte, ns int64) []byte {
	line = strconv.AppendInt(line, ns/1e9, 10)
	fraction := ns % 1e9
	if fraction == 0 {
		return line
	}
	start := len(line)
	line = strconv.AppendInt(line, 1e9+fraction, 10)
	line[start] = '.'
	for line[len(line)-1] == '0' {
		line = line[:len(line)-1]
	}
	return line
}
