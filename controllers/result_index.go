// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/result"
)

// maxIndexBytes bounds an index, as maxPlanBytes a plan.
const maxIndexBytes = maxPlanBytes

// resultIndex is what the status is to name, and the ConfigMaps that it takes.
type resultIndex struct {
	status     *v1alpha1.ResultsStatus
	configMaps []*corev1.ConfigMap
	// size is that of the index, named the chunks in it.
	size  int
	named map[string]bool
}

// namesOf returns the names of what lists refer to.
func namesOf(lists ...[]store.Reference) map[string]bool {
	names := map[string]bool{}
	for _, ref := range slices.Concat(lists...) {
		names[ref.Name] = true
	}
	return names
}

// newResultIndex makes the index of all rows that there are, and chunks of the ones
// that are borrowed: so that what the index lists holds the rows of this plan and
// nothing else, and belongs to the subject. It returns an empty one where there is
// nothing to list.
func newResultIndex(s subject, p *subjectPlan, st *studyState) (*resultIndex, error) {
	index := &store.Index{
		SchemaVersion: store.IndexSchemaVersion, EngineVersion: p.EngineVersion, Plan: p.hash,
		Chunks: st.chunks, Reserve: st.reserve, Lost: st.lost, Journal: st.journal(),
	}
	l := &resultIndex{}
	copies, err := copyBorrowed(s, p, st)
	if err != nil {
		return nil, err
	}
	for _, c := range copies {
		index.Chunks = append(index.Chunks[:len(index.Chunks):len(index.Chunks)], c.Reference)
		l.configMaps = append(l.configMaps, c.configMap)
	}
	l.named = namesOf(index.Chunks, index.Journal)
	if len(index.Chunks)+len(index.Reserve)+len(index.Lost) == 0 {
		return l, nil
	}
	raw := index.Encode()
	digest := experiment.Digest(raw)
	cm := makeConfigMap(s, p, ComponentIndex, contentName(p.prefix, "index", digest))
	cm.Data = map[string]string{store.IndexKey: string(raw)}
	l.configMaps = append(l.configMaps, cm)
	l.size = len(raw)
	l.status = &v1alpha1.ResultsStatus{
		Index: cm.Name, SHA256: digest, Chunks: int64(len(index.Chunks)), Rows: int64(index.Rows()),
	}
	return l, nil
}

// copiedChunk is a chunk that the manager writes.
type copiedChunk struct {
	store.Reference
	configMap *corev1.ConfigMap
}

// copyBorrowed makes chunks of the borrowed rows.
func copyBorrowed(s subject, p *subjectPlan, st *studyState) ([]copiedChunk, error) {
	simulations := make([]experiment.Simulation, len(st.borrowed))
	for i := range st.borrowed {
		simulations[i].Row = st.borrowed[i]
	}
	chunks, err := store.Chunks(simulations)
	if err != nil {
		return nil, fmt.Errorf("copy rows: %w", err)
	}
	var copies []copiedChunk
	for _, chunk := range chunks {
		digest := chunk.SHA256()
		cm := makeConfigMap(s, p, ComponentResult, contentName(p.prefix, "reused", digest))
		cm.Data, cm.BinaryData = chunk.Data, chunk.Binary
		copies = append(copies, copiedChunk{
			Reference: store.Reference{Name: cm.Name, Rows: chunk.Rows, SHA256: digest, Reused: true},
			configMap: cm,
		})
	}
	return copies, nil
}

// maxRanked is how many points a leaderboard's ConfigMap holds at most, and
// maxLeaderboardBytes how much.
const (
	maxRanked           = 100
	maxLeaderboardBytes = 768 << 10
)

// Keys of a leaderboard's ConfigMap.
const (
	leaderboardJSON = "leaderboard.json"
	leaderboardText = "leaderboard.txt"
	// leaderboardPolicies holds the policies that evolved, compressed: those of the best
	// points, and of the best of each kind.
	leaderboardPolicies = "policies.json.gz"
)

// archive are the policies of the points of a leaderboard, compressed; empty where none
// evolves.
func archive(st *study.Study, board *result.Leaderboard) ([]byte, error) {
	var points []int
	for i := range board.Candidates {
		points = append(points, board.Candidates[i].Point)
	}
	policies, err := advice.Archive(st, points)
	if err != nil || len(policies) == 0 {
		return nil, err
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := json.NewEncoder(z).Encode(policies); err != nil {
		return nil, fmt.Errorf("encode the policies: %w", err)
	}
	_ = z.Close() // into memory
	return b.Bytes(), nil
}

// makeLeaderboard makes the ConfigMap of the best points.
func makeLeaderboard(s subject, p *subjectPlan, st *study.Study) (*corev1.ConfigMap, error) {
	for keep := maxRanked; ; keep /= 2 {
		board, err := st.Top(keep)
		if err != nil {
			return nil, err
		}
		raw, err := json.MarshalIndent(board, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("encode the leaderboard: %w", err)
		}
		var text bytes.Buffer
		if err := report.WriteLeaderboard(&text, board); err != nil {
			return nil, fmt.Errorf("write the leaderboard: %w", err)
		}
		policies, err := archive(st, board)
		if err != nil {
			return nil, err
		}
		if len(raw)+text.Len()+len(policies) > maxLeaderboardBytes && keep > 1 {
			continue
		}
		cm := makeConfigMap(s, p, ComponentLeaderboard, contentName(p.prefix, "leaderboard", experiment.Digest(raw)))
		cm.Data = map[string]string{leaderboardJSON: string(raw), leaderboardText: text.String()}
		if len(policies) > 0 {
			cm.BinaryData = map[string][]byte{leaderboardPolicies: policies}
		}
		return cm, nil
	}
}
