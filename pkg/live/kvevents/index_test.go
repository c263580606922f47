// SPDX-License-Identifier: Apache-2.0

package kvevents

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/realcode"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/live/replicas"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/kvindex"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
)

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
	var all []session
	for _, p := range record(t) {
		all = append(all, p.session)
	}
	realcode.Check(t, answersPath, all, realcode.Ask(t, checkout, "pkg/kvevents", "testdata/ask.go.txt", all), *golden.Update)
}

// TestTheRealIndexFindsWhatCachesHold compares what llm-d-router's index has said with what the caches hold, by
// their tokens, and with what pkg/policy/kvindex finds, by stretches.
func TestTheRealIndexFindsWhatCachesHold(t *testing.T) {
	if *golden.Update {
		t.Skip("the golden set is written")
	}
	type answer struct {
		session
		Want [][]int
	}
	all := record(t)
	matched := 0
	for i, a := range realcode.Answers[answer](t, answersPath) {
		if diff := cmp.Diff(a.session, all[i].session); diff != "" {
			t.Fatalf("session %d was another one when the index was asked (−then +now):\n%.2000s", i, diff)
		}
		if diff := cmp.Diff(a.Want, all[i].matches); diff != "" {
			t.Errorf("session %d, blocks of each prompt in each replica (−real +here):\n%s", i, diff)
		}
		if diff := cmp.Diff(a.Want, all[i].indexed); diff != "" {
			t.Errorf("session %d, blocks of each prompt in each replica (−real +kvindex):\n%s", i, diff)
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

// played is a session that was played.
type played struct {
	session
	events []replicas.BlockEvent
	// matches are the blocks of each prompt that each replica holds, and indexed those that pkg/policy/kvindex finds.
	matches, indexed [][]int
}

// record plays all sessions.
func record(t *testing.T) (all []played) {
	for seed := range int64(sessions) {
		all = append(all, recordOne(t, seed))
	}
	return all
}

func recordOne(t *testing.T, seed int64) (p played) {
	synctest.Test(t, func(t *testing.T) { p = play(t, seed) })
	return p
}

// constantStep is a timer whose steps take as long whatever they compute.
type constantStep time.Duration

func (c constantStep) StepTime(latency.Step) time.Duration { return time.Duration(c) }

// play sends requests to three replicas of 40 blocks. Sessions take turns in the format of events.
func play(t *testing.T, seed int64) played {
	s := played{session: session{BlockTokens: blockTokens}}
	held := make([]map[uint64]replicas.BlockEvent, 3)
	ours := newIndexed(len(held))
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
		Speed: 1, MaxLateness: time.Second, NamedTokens: namedTokens,
		BlockEvents: func(e replicas.BlockEvent) {
			ours.hear(t, e)
			s.events = append(s.events, e)
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
		answer := draw(stream).Tokens
		ours.submitted(a, answer)
		answered, err := pool.Submit(replica, replicas.Request{Prompt: a.Tokens, Answer: answer, Adapter: adapter})
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
	for range promptsPerSession {
		a := draw(stream)
		s.Prompts = append(s.Prompts, a)
		var blocks []int
		for _, h := range held {
			blocks = append(blocks, match(h, a, 0))
		}
		s.matches, s.indexed = append(s.matches, blocks), append(s.indexed, ours.match(a))
	}
	return s
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

// namedTokens is what replicas take for three caches of 40 blocks.
const namedTokens = 5 * 3 * 40 * blockTokens

// indexed hears what replicas store, as a simulated EPP does.
type indexed struct {
	index *kvindex.Index
	held  kvindex.Match
	// texts are those of all requests, in their order: replicas name the parts of a text by those before.
	texts []text
	// blocks are those of the requests, by the hashes of events.
	blocks map[uint64]policy.CachedBlocks
}

type text struct {
	asked
	answer []uint32
}

func newIndexed(replicas int) *indexed {
	return &indexed{
		index: kvindex.New(10), held: kvindex.NewMatch(replicas, [kvindex.Places]float64{1, 0.8, 1, 1}), blocks: map[uint64]policy.CachedBlocks{},
	}
}

// submitted takes the text of a request.
func (x *indexed) submitted(a asked, answer []uint32) {
	x.texts = append(x.texts, text{a, answer})
	for _, s := range stretchesOf(x.texts) {
		for i := range s.Blocks {
			x.blocks[max(stats.Hash64(s.ID, uint64(i)), 1)] = policy.CachedBlocks{Stretch: s.ID, From: i, To: i + 1}
		}
	}
}

// hear takes an event.
func (x *indexed) hear(t *testing.T, e replicas.BlockEvent) {
	blocks, known := x.blocks[e.Hash]
	if !known {
		t.Errorf("a block is %v that is in no request", e.Kind)
	}
	kind := kvindex.Stored
	if e.Kind == replicas.BlockRemoved {
		kind = kvindex.Removed
	}
	(&kvindex.Event{Endpoint: int32(e.Replica), Kind: kind, Tier: e.Tier, Blocks: blocks}).Apply(x.index)
}

// match is how many leading blocks of a prompt each replica holds.
func (x *indexed) match(a asked) []int {
	x.held.Reset()
	x.held.Add(x.index, stretchesOf(append(slices.Clone(x.texts), text{asked: a})), 1)
	return slices.Clone(x.held.Blocks)
}

// stretchesOf are those of the last of some texts.
func stretchesOf(texts []text) (stretches []prompt.Stretch) {
	names := replicas.NewNames(namedTokens)
	for _, t := range texts {
		before, after := names.Name(t.Tokens, t.answer)
		before.Extents = append(before.Extents, after...)
		stretches = before.FullStretches(nil, blockTokens)
		if t.Model != model {
			prompt.ForAdapter(stretches, 1) // there is one
		}
	}
	return stretches
}
