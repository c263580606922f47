// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"strconv"
	"strings"
	"time"
)

// csvLine is a line of CSV that is being written.
type csvLine []byte

func (l csvLine) separate() csvLine {
	if len(l) == 0 {
		return l
	}
	return append(l, ',')
}

func (l csvLine) integer(value int64) csvLine { return strconv.AppendInt(l.separate(), value, 10) }

func (l csvLine) seconds(ns int64) csvLine { return appendSeconds(l.separate(), ns) }

// name writes a name, in quotes where it needs them.
func (l csvLine) name(name string) csvLine {
	l = l.separate()
	if !strings.ContainsAny(name, "\",\n\r") {
		return append(l, name...)
	}
	return append(append(append(l, '"'), strings.ReplaceAll(name, `"`, `""`)...), '"')
}

func (l csvLine) end() []byte { return append(l, '\n') }

// azureEpoch is when traces begin that are written in the format Azure, which has dates.
var azureEpoch = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

const azureLayout = "2006-01-02 15:04:05.0000000"

func newAzureWriter(int32) rowWriter {
	return rowWriter{header: azureHeader + "\n", append: func(line []byte, r *record, _ int) []byte {
		l := csvLine(azureEpoch.Add(time.Duration(r.at)).AppendFormat(line, azureLayout))
		return l.integer(int64(r.input)).integer(int64(r.output)).end()
	}}
}

func newVidurWriter(int32) rowWriter {
	header := vidurArrival + "," + vidurInput + "," + vidurOutput + "\n"
	return rowWriter{header: header, append: func(line []byte, r *record, _ int) []byte {
		return csvLine(line).seconds(r.at).integer(int64(r.input)).integer(int64(r.output)).end()
	}}
}

func newBurstGPTWriter(int32) rowWriter {
	header := strings.Join([]string{burstGPTTime, burstGPTSession, "Elapsed time", "Model", burstGPTInput, burstGPTOutput, burstGPTTotal, "Log Type"}, ",") + "\n"
	return rowWriter{header: header, append: func(line []byte, r *record, _ int) []byte {
		l := csvLine(line).seconds(r.at).name(r.session).name("").name("")
		return l.integer(int64(r.input)).integer(int64(r.output)).integer(int64(r.input) + int64(r.output)).name("").end()
	}}
}

// writtenColumns are the first columns of WrittenCSV.
const writtenColumns = "arrival_ns,input_tokens,output_tokens"

// WrittenCSV are the columns of a trace that is written in the format CSV.
func WrittenCSV() CSV {
	return CSV{
		Time: "arrival_ns", Input: "input_tokens", Output: "output_tokens", Tenant: "tenant", Class: "class",
		Session: "session", Model: "model", Priority: "priority", TimeFormat: Nanoseconds,
	}
}

func newCSVWriter(int32) rowWriter {
	columns, _ := WrittenCSV().columns()
	return rowWriter{header: strings.Join(columns, ",") + "\n", append: func(line []byte, r *record, _ int) []byte {
		l := csvLine(line).integer(r.at).integer(int64(r.input)).integer(int64(r.output))
		l = l.name(r.tenant).name(r.class).name(r.session).name(r.model)
		if r.priority == nil {
			return l.name("").end()
		}
		return l.integer(int64(*r.priority)).end()
	}}
}

// newTraceV2Writer writes the columns that are read. A reader that wants the others takes
// them from there: all of them are of how requests were served.
func newTraceV2Writer(int32) rowWriter {
	header := "request_id,client_id," + strings.Join(traceV2Columns, ",") + "\n"
	return rowWriter{header: header, append: func(line []byte, r *record, n int) []byte {
		l := csvLine(line).integer(int64(n)).name("trace").integer(r.at / int64(time.Microsecond))
		l = l.integer(int64(r.input)).integer(int64(r.output)).name("").integer(0)
		return l.name(r.tenant).name(r.class).name(r.session).name(r.model).name(r.adapter).end()
	}}
}
