// SPDX-License-Identifier: Apache-2.0

package kvevents

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/realcode"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/live/replicas"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
)

var update = flag.Bool("update", false, "write testdata/answers.json.gz")

const (
	answersPath = "testdata/answers.json.gz"
	model       = "llama"
	blockTokens = 16
	// sessions are asked promptsPerSession prompts each: 1,000 together.
	sessions, promptsPerSession = 10, 100
)

// TestTheGoldenSet asks the index of llm-d-router, which reads KV events, at commit ebab687: how many blocks of each
// prompt each replica holds. ROUTER_CHECKOUT is the path of a checkout, whose go.mod has llm-d-kv-cache replaced by a
// checkout of it. testdata/ask.go.txt lies over it in place of the tests of pkg/kvevents.
func TestTheGoldenSet(t *testing.T) {
	checkout := os.Getenv("ROUTER_CHECKOUT")
	if checkout == "" {
		t.Skip("set ROUTER_CHECKOUT to a checkout of llm-d/llm-d-router at ebab687 to ask its index")
	}
	all, _ := record(t)
	realcode.Check(t, answersPath, all, realcode.Ask(t, checkout, "pkg/kvevents", "testdata/ask.go.txt", all), *update)
}

// TestTheRealIndexFindsWhatCachesHold compares what llm-d-router's index has said with what the caches hold, by
// their tokens.
func TestTheRealIndexFindsWhatCachesHold(t *testing.T) {
	if *update {
		t.Skip("the golden set is written")
	}
	type answer struct {
		session
		Want [][]int
	}
	all, matches := record(t)
	matched := 0
	for i, a := range realcode.Answers[answer](t, answersPath) {
		if diff := cmp.Diff(a.session, all[i]); diff != "" {
			t.Fatalf("session %d was another one when the index was asked (−then +now):\n%.2000s", i, diff)
		}
		if diff := cmp.Diff(a.Want, matches[i]); diff != "" {
			t.Errorf("session %d, blocks of each prompt in each replica (−real +here):\n%s", i, diff)
		}
		for _, blocks := range a.Want {
			if slices.Max(blocks) > 0 {
				matched++
			}
		}
	}
	if matched < sessions*promptsPerSession/2 {
		t.Errorf("the caches hold a part of %d prompts, want half of them at least", matched)
	}
}

// session is what replicas publish, and prompts that an index is asked about afterwards.
type session struct {
	BlockTokens int
	Pods        []string
	Messages    []message
	Prompts     []asked
}

type message struct {
	Topic   string
	Payload []byte
}

type asked struct {
	// Model is the adapter, or the base model.
	Model  string
	Tokens []uint32
}

// record plays sessions. matches are the blocks of each prompt that each replica holds.
func record(t *testing.T) (all []session, matches [][][]int) {
	for seed := range int64(sessions) {
		synctest.Test(t, func(t *testing.T) {
			s, m := play(t, seed)
			all, matches = append(all, s), append(matches, m)
		})
	}
	return all, matches
}

// constantStep is a timer whose steps take as long whatever they compute.
type constantStep time.Duration

func (c constantStep) StepTime(latency.Step) time.Duration { return time.Duration(c) }

// play sends requests to three replicas of 40 blocks. Sessions take turns in the format of events.
func play(t *testing.T, seed int64) (session, [][]int) {
	s := session{BlockTokens: blockTokens}
	held := make([]map[uint64]replicas.BlockEvent, 3)
	waiting, writers := make([][]replicas.BlockEvent, len(held)), make([]*writer, len(held))
	for i := range held {
		s.Pods = append(s.Pods, fmt.Sprintf("127.0.0.%d:8000", i+1))
		held[i], writers[i] = map[uint64]replicas.BlockEvent{}, newWriter(Format(seed%2), blockTokens)
	}
	pool := replicas.New(replicas.Config{
		Simulated: simulator.Config{Pools: []simulator.Pool{{
			Name: "pool", Replicas: len(held), Timer: constantStep(10 * time.Millisecond), Adapters: &simulator.AdapterPlaces{Max: 2},
			BlockTokens: blockTokens, KVBlocks: 40, PrefixCaching: true, MaxNumSeqs: 4, MaxNumBatchedTokens: 512,
		}}},
		Speed: 1, MaxLateness: time.Second,
		BlockEvents: func(e replicas.BlockEvent) {
			if e.Kind == replicas.BlockStored {
				held[e.Replica][e.Hash] = e
			} else {
				delete(held[e.Replica], e.Hash)
			}
			waiting[e.Replica] = append(waiting[e.Replica], e)
		},
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- pool.Run(ctx) }()
	stream := stats.NewStream(seed, "prompts")
	for range 60 {
		a, replica := draw(stream), stream.IntN(len(held))
		adapter := a.Model
		if adapter == model {
			adapter = ""
		}
		answered, err := pool.Submit(replica, replicas.Request{Prompt: a.Tokens, Answer: draw(stream).Tokens, Adapter: adapter})
		if err != nil {
			t.Fatal(err)
		}
		for more := true; more; {
			if _, more, err = answered.Next(ctx); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(100 * time.Millisecond)
		if len(waiting[replica]) == 0 {
			continue
		}
		payload, err := writers[replica].payload(waiting[replica], time.Now())
		if err != nil {
			t.Fatal(err)
		}
		waiting[replica] = nil
		s.Messages = append(s.Messages, message{topic(s.Pods[replica], model), payload})
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	var matches [][]int
	for range promptsPerSession {
		a := draw(stream)
		s.Prompts = append(s.Prompts, a)
		var blocks []int
		for _, h := range held {
			blocks = append(blocks, match(h, a, 0))
		}
		matches = append(matches, blocks)
	}
	return s, matches
}

// draw draws a prompt: one of a few beginnings, and an end of its own.
func draw(stream *stats.Stream) asked {
	a := asked{Model: []string{model, model, "sql"}[stream.IntN(3)]}
	beginning := stats.NewStream(int64(stream.IntN(8)), "beginning")
	for range 16 * (1 + stream.IntN(6)) {
		a.Tokens = append(a.Tokens, token(beginning))
	}
	for range 1 + stream.IntN(24) {
		a.Tokens = append(a.Tokens, token(stream))
	}
	return a
}

// token draws a token id: mostly one of few, so that the file stays small.
func token(stream *stats.Stream) uint32 {
	if stream.IntN(32) == 0 {
		return uint32(stream.IntN(128_000))
	}
	return uint32(stream.IntN(16))
}

// match is how many leading blocks of a prompt are held behind a block, by their tokens.
func match(held map[uint64]replicas.BlockEvent, a asked, parent uint64) int {
	most := 0
	for hash, b := range held {
		ofModel := b.Adapter == a.Model || b.Adapter == "" && a.Model == model
		if len(a.Tokens) >= blockTokens && b.Parent == parent && ofModel && slices.Equal(b.Tokens, a.Tokens[:blockTokens]) {
			most = max(most, 1+match(held, asked{a.Model, a.Tokens[blockTokens:]}, hash))
		}
	}
	return most
}
