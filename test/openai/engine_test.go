// SPDX-License-Identifier: Apache-2.0

package openai

import (
	"bufio"
	"errors"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	client "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
)

const model = "meta-llama/Llama-3.1-8B-Instruct"

// startEngine builds and starts an engine until the test ends, and returns a client of it.
func startEngine(t *testing.T) client.Client {
	t.Helper()
	program := filepath.Join(t.TempDir(), "windtunnel-live")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/windtunnel-live")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	engine := exec.Command(program, "engine", "-f", "../../config/samples/simulationrun-poisson.yaml",
		"--pool", "llama", "--replicas", "1", "--port", "0", "--speed", "10", "--enable-prompt-tokens-details")
	out, err := engine.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = engine.Process.Signal(syscall.SIGTERM)
		_ = engine.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := regexp.MustCompile(`http://\S+`).FindString(line)
	return client.NewClient(option.WithBaseURL(url+"/v1"), option.WithAPIKey("none"), option.WithMaxRetries(0))
}

func TestTheOfficialClient(t *testing.T) {
	c := startEngine(t)
	question := []client.ChatCompletionMessageParamUnion{
		client.SystemMessage("You answer in one sentence."), client.UserMessage("What is a wind tunnel?"),
	}
	t.Run("models", func(t *testing.T) {
		models, err := c.Models.List(t.Context())
		if err != nil || len(models.Data) != 1 || models.Data[0].ID != model {
			t.Errorf("%+v %v", models, err)
		}
	})
	t.Run("a completion", func(t *testing.T) {
		got, err := c.Completions.New(t.Context(), client.CompletionNewParams{
			Model: model, Prompt: client.CompletionNewParamsPromptUnion{OfArrayOfStrings: []string{"Once", "Twice"}}, MaxTokens: param.NewOpt[int64](7),
		})
		if err != nil || len(got.Choices) != 2 || got.Choices[0].FinishReason != "length" || got.Usage.CompletionTokens != 14 || got.Usage.PromptTokens != 3 {
			t.Errorf("%+v %v", got, err)
		}
	})
	t.Run("a chat, whole and as a stream", func(t *testing.T) {
		params := client.ChatCompletionNewParams{
			Model: model, Messages: question, MaxCompletionTokens: param.NewOpt[int64](30), Seed: param.NewOpt[int64](7),
		}
		whole, err := c.Chat.Completions.New(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		params.StreamOptions.IncludeUsage = param.NewOpt(true)
		stream := c.Chat.Completions.NewStreaming(t.Context(), params)
		var all client.ChatCompletionAccumulator
		for stream.Next() {
			if !all.AddChunk(stream.Current()) {
				t.Fatalf("a chunk that does not fit: %s", stream.Current().RawJSON())
			}
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
		want, got := whole.Choices[0], all.Choices[0]
		if got.Message.Content != want.Message.Content || got.FinishReason != want.FinishReason || string(got.Message.Role) != "assistant" {
			t.Errorf("%+v in place of %+v", got, want)
		}
		if all.Usage.CompletionTokens != whole.Usage.CompletionTokens || all.Usage.TotalTokens != whole.Usage.TotalTokens {
			t.Errorf("%+v in place of %+v", all.Usage, whole.Usage)
		}
		if all.Usage.PromptTokensDetails.CachedTokens == 0 {
			t.Error("the second request finds nothing of the first one in the cache")
		}
	})
	t.Run("errors", func(t *testing.T) {
		for name, want := range map[string]int{"gpt-5": http.StatusNotFound, model: http.StatusBadRequest} {
			_, err := c.Chat.Completions.New(t.Context(), client.ChatCompletionNewParams{
				Model: name, Messages: question, MaxCompletionTokens: param.NewOpt[int64](1_000_000),
			})
			var refused *client.Error
			if !errors.As(err, &refused) || refused.StatusCode != want || refused.Message == "" || !strings.HasSuffix(refused.Type, "Error") {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
