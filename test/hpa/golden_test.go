// SPDX-License-Identifier: Apache-2.0

package hpa

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

var update = flag.Bool("update", false, "write testdata of pkg/policy/autoscaling/hpa")

const (
	states   = 1100
	stories  = 54
	syncs    = 40
	testdata = "../../pkg/policy/autoscaling/hpa/testdata"
)

func TestTheGoldenSet(t *testing.T) {
	for file, make := range map[string]func(*testing.T) []*Story{"states.json.gz": randomStates, "stories.json.gz": allStories} {
		t.Run(file, func(t *testing.T) {
			got := encode(t, make(t))
			path := filepath.Join(testdata, file)
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Error("the controller decides otherwise than in the file: run this test with -update")
			}
		})
	}
}

// randomStates returns stories of one sync.
func randomStates(t *testing.T) []*Story {
	var all []*Story
	for seed := range uint64(states) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := &Story{Spec: openSpec(r), Options: randomOptions(r)}
		if seed%3 == 0 {
			s.Spec = randomSpec(r)
		}
		done := false
		play(t, s, func(simtime.Time, int32) *Sync {
			if done {
				return nil
			}
			done = true
			return randomState(r, s.Spec)
		})
		all = append(all, s)
	}
	return all
}

// allStories returns directed stories, and random ones of a target that follows the autoscaler.
func allStories(t *testing.T) []*Story {
	var all []*Story
	for _, d := range directed() {
		s := &Story{Name: d.name, Spec: d.spec, Options: d.options()}
		play(t, s, d.next)
		all = append(all, s)
	}
	for seed := range uint64(stories) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := &Story{Spec: storySpec(r), Options: randomOptions(r)}
		play(t, s, newCluster(r, s.Spec, syncs).next)
		all = append(all, s)
	}
	return all
}

// encode writes a line of JSON for each story, compressed.
func encode(t *testing.T, all []*Story) []byte {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	lines := json.NewEncoder(z)
	for _, s := range all {
		if err := lines.Encode(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
