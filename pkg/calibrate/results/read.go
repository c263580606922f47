// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

// MaxBytes bounds a file.
const MaxBytes = 128 << 20

// formats are what Read reads, in words for the user.
const formats = "vllm bench serve --save-result, guidellm, inference-perf, InferenceX (JSON or CSV), a scrape of vLLM's metrics, a Benchmark Report"

// Read reads the results that a file holds: one, or several where the file is of several
// benchmarks. Rows of InferenceX are those with a tensor parallelism. Errors name the fields.
func Read(raw []byte, tensorParallelism int) ([]Result, field.ErrorList) {
	r := &reader{}
	all := r.read(raw, tensorParallelism)
	if len(r.errs) > 0 {
		return nil, r.errs
	}
	return all, nil
}

func (r *reader) read(raw []byte, tensorParallelism int) []Result {
	if looksLikeScrape(raw) {
		return r.scrape(raw, nil, 0)
	}
	if header, is := inferenceXHeader(raw); is {
		return r.inferenceX(r.csvRows(raw, header), tensorParallelism)
	}
	documents, err := decode(raw)
	if err != nil {
		return r.whole(err.Error())
	}
	if len(documents) == 1 {
		if rows, is := documents[0].([]any); is {
			documents = rows
			if isPerRequest(rows) {
				return []Result{r.inferencePerfLog(rows)}
			}
		}
	}
	return r.documents(documents, tensorParallelism)
}

// whole is a fault of the file as such.
func (r *reader) whole(detail string) []Result {
	r.errs = append(r.errs, field.Invalid(field.NewPath("file"), field.OmitValueType{}, detail))
	return nil
}

// decode reads the documents of a file: JSON, of which several may follow each other, or
// YAML.
func decode(raw []byte) ([]any, error) {
	var all []any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	for {
		var document any
		err := d.Decode(&document)
		switch {
		case err == nil:
			all = append(all, document)
		case errors.Is(err, io.EOF) && len(all) > 0:
			return all, nil
		case len(all) > 0 || json.Valid(raw):
			return nil, fmt.Errorf("is not JSON from document %d on: %w", len(all), err)
		default:
			return decodeYAML(raw, err)
		}
	}
}

func decodeYAML(raw []byte, instead error) ([]any, error) {
	text, err := yaml.YAMLToJSON(raw)
	if err != nil || !bytes.HasPrefix(text, []byte("{")) {
		return nil, fmt.Errorf("is none of %s: %w", formats, instead)
	}
	return decode(text)
}

// documents are results of one format each, or rows.
func (r *reader) documents(documents []any, tensorParallelism int) []Result {
	var all []Result
	var rows []object
	for i, d := range documents {
		fields, is := d.(map[string]any)
		var path *field.Path
		if len(documents) > 1 {
			path = field.NewPath(fmt.Sprintf("[%d]", i))
		}
		if !is {
			r.errs = append(r.errs, field.Invalid(field.NewPath(fmt.Sprintf("[%d]", i)), field.OmitValueType{}, "must be an object"))
			return nil
		}
		o := r.object(fields, path)
		if isInferenceX(o) {
			rows = append(rows, o)
			continue
		}
		found := r.document(o)
		for k := range found {
			if len(documents) > 1 {
				found[k].Part = strings.TrimSuffix(fmt.Sprintf("result %d, %s", i, found[k].Part), ", ")
			}
		}
		all = append(all, found...)
	}
	if len(rows) > 0 {
		all = append(all, r.inferenceX(rows, tensorParallelism)...)
	}
	return all
}

// document reads an object by the format that its fields are of.
func (r *reader) document(o object) []Result {
	switch {
	case o.has("total_output_tokens_retokenized"):
		return r.anotherEngine(o, "total_output_tokens_retokenized", "the file is a result of sglang.bench_serving")
	case o.has("completed") && o.has("duration"):
		return []Result{r.vllmBench(o)}
	case o.has("benchmarks"):
		return r.guideLLM(o)
	case o.has("successes"):
		return []Result{r.inferencePerf(o)}
	case o.has("version") && o.has("metrics"):
		return []Result{r.reportV01(o)}
	default:
		return r.whole("is none of " + formats)
	}
}

// otherEngine is the engine that a name or an image is of; empty of vLLM's, or if it says none.
func otherEngine(name string) string {
	for _, other := range []struct{ word, engine string }{
		{"sglang", "SGLang"}, {"text-generation-inference", "TGI"}, {"tgi", "TGI"}, {"tensorrt", "TensorRT-LLM"}, {"trtllm", "TensorRT-LLM"},
		{"lmdeploy", "LMDeploy"}, {"llama.cpp", "llama.cpp"}, {"ollama", "Ollama"},
	} {
		if strings.Contains(strings.ToLower(name), other.word) {
			return other.engine
		}
	}
	return ""
}

// anotherEngine refuses a result of an engine that is no vLLM.
func (r *reader) anotherEngine(o object, name, detail string) []Result {
	r.errs = append(r.errs, field.Forbidden(o.at(name), detail+", and the coefficients are of vLLM: only results of vLLM can be calibrated to"))
	return nil
}
