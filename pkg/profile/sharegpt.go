// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// bytesPerToken is how many bytes of text are taken for a token, as by the EPP. The profile's own tool has a tokenizer.
const bytesPerToken = 4

// shareGPTBounds are the lengths, in tokens, of the conversations of a file that a tool sends; 0 is no bound.
type shareGPTBounds struct {
	least, longestInput, longestTotal int64
	leastOutput, longestOutput        int64
}

// shareGPTOf takes over the lengths of inference-perf's ShareGPT, whose distributions are bounds.
func (c *converter) shareGPTOf(in *object, client *v1alpha1.Client) {
	var b shareGPTBounds
	if input := in.child("input_distribution"); input != nil {
		input.ignore("type", "mean", "std_dev", "total_count")
		b.least, b.longestInput = input.whole("min", 10, 0, maxTokens), input.whole("max", 1024, 1, maxTokens)
		input.done()
	}
	if output := in.child("output_distribution"); output != nil {
		output.ignore("type", "mean", "std_dev", "total_count")
		b.leastOutput, b.longestOutput = output.whole("min", 10, 0, maxTokens), output.whole("max", 1024, 1, maxTokens)
		output.done()
	}
	c.shareGPT(in, client, b, 0)
}

// shareGPT takes over the first prompt and the first answer of each conversation of a ShareGPT file. Answers may have
// one length instead.
func (c *converter) shareGPT(in *object, client *v1alpha1.Client, b shareGPTBounds, answer int64) {
	in.ignore("dataset_path", "path")
	kind := "dataset_name"
	if !in.has(kind) {
		kind = "type"
	}
	c.used.dataset = true
	if c.Dataset == nil {
		c.fault(field.Required(in.at(kind), "lengths are in the ShareGPT file: name it with --dataset"))
		return
	}
	inputs, outputs, err := b.read(c.Dataset, answer)
	if err != "" {
		c.fault(field.Invalid(in.at(kind), "", err))
		return
	}
	c.note("lengths are those of the first prompt and answer of %d conversations, at %d bytes a token; prompt and answer are drawn on their own", len(inputs), bytesPerToken)
	client.InputTokens, client.OutputTokens = grouped(inputs), grouped(outputs)
}

// message is a prompt of the user, or an answer.
type message struct {
	Value string `json:"value"`
}

// read returns the lengths of the conversations within the bounds, or what is wrong with the file.
func (b shareGPTBounds) read(text []byte, answer int64) (inputs, outputs []int64, wrong string) {
	var all []struct {
		Conversations []message `json:"conversations"`
	}
	if json.Unmarshal(text, &all) != nil {
		return nil, nil, "the file of --dataset must be ShareGPT: a list of objects with conversations, of which each has a value"
	}
	for _, c := range all {
		if len(c.Conversations) < 2 {
			continue
		}
		input, output := tokensOfText(c.Conversations[0].Value), tokensOfText(c.Conversations[1].Value)
		if answer > 0 {
			output = answer
		}
		if b.admits(input, output, answer > 0) {
			inputs, outputs = append(inputs, input), append(outputs, output)
		}
	}
	if len(inputs) == 0 {
		return nil, nil, "no conversation of --dataset has lengths within the bounds"
	}
	return inputs, outputs, ""
}

// admits reports whether a tool sends a prompt.
func (b shareGPTBounds) admits(input, output int64, fixed bool) bool {
	most := func(tokens, bound int64) bool { return bound == 0 || tokens <= bound }
	return input >= max(1, b.least) && most(input, b.longestInput) && most(input+output, b.longestTotal) &&
		(fixed || output >= max(1, b.leastOutput) && most(output, b.longestOutput))
}

func tokensOfText(text string) int64 { return int64(len(text)+bytesPerToken-1) / bytesPerToken }

// maxLengths is the greatest number of lengths of a histogram.
const maxLengths = 256

// grouped are lengths as a histogram. Where there are many, neighbours become their mean.
func grouped(tokens []int64) v1alpha1.Lengths {
	slices.Sort(tokens)
	l := v1alpha1.Lengths{Distribution: v1alpha1.HistogramLengths}
	for i := range int64(maxLengths) {
		from, to := i*int64(len(tokens))/maxLengths, (i+1)*int64(len(tokens))/maxLengths
		if from == to {
			continue
		}
		sum := int64(0)
		for _, n := range tokens[from:to] {
			sum += n
		}
		mean, weight := int32((sum+(to-from)/2)/(to-from)), int32(to-from)
		if last := len(l.Histogram) - 1; last >= 0 && l.Histogram[last].Tokens == mean {
			l.Histogram[last].Weight += weight
			continue
		}
		l.Histogram = append(l.Histogram, v1alpha1.WeightedLength{Tokens: mean, Weight: weight})
	}
	return l
}
