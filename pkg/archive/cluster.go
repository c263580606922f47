// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/propose"
	"windtunnel.dev/windtunnel/pkg/result"
)

// ConfigMaps reads a ConfigMap of a cluster. An error says by its status whether there is none.
type ConfigMaps func(ctx context.Context, namespace, name string) (*corev1.ConfigMap, error)

// Stored is what the ConfigMaps of an object hold.
type Stored struct {
	Rows []result.Row
	// Chunks are what results hold in addition to the rows: documents, time series and kept decisions.
	Chunks []store.Chunk
	// Journal has the answers of a proposer.
	Journal propose.Journal
}

// Findings say what the figures of a run do not show; none where no documents are kept.
func (s *Stored) Findings() ([]result.RunFinding, error) {
	documents, err := store.ReadDocuments(s.Chunks)
	if err != nil || len(documents) == 0 {
		return nil, err
	}
	return result.RunFindings(documents), nil
}

// Decisions are the kept routing decisions: gzip files of JSON lines.
func (s *Stored) Decisions() [][]byte {
	var all [][]byte
	for i := range s.Chunks {
		if packed := s.Chunks[i].Binary[store.DecisionsKey]; len(packed) > 0 {
			all = append(all, packed)
		}
	}
	return all
}

// Read reads an object's results by their index, each chunk checked against its digest.
func Read(ctx context.Context, read ConfigMaps, kind string, of metav1.Object, results *v1alpha1.ResultsStatus) (*Stored, error) {
	namespace := of.GetNamespace()
	if results == nil {
		return nil, Fault{fmt.Errorf("%s %s/%s has no results yet", kind, namespace, of.GetName())}
	}
	index, err := readIndex(ctx, read, namespace, results)
	if err != nil {
		return nil, err
	}
	s := &Stored{Journal: propose.Journal{}}
	for _, ref := range index.Chunks {
		chunk, err := readChunk(ctx, read, namespace, ref)
		if err != nil {
			return nil, err
		}
		if err := s.add(chunk); err != nil {
			return nil, err
		}
	}
	return s, s.readJournal(ctx, read, namespace, index.Journal)
}

// readJournal reads the answers of a proposer.
func (s *Stored) readJournal(ctx context.Context, read ConfigMaps, namespace string, references []store.Reference) error {
	for _, ref := range references {
		cm, err := configMap(ctx, read, namespace, ref.Name)
		if err != nil {
			return err
		}
		var entries []propose.Entry
		raw, err := propose.Unpack(cm.BinaryData[store.ProposalsKey], &entries)
		if err != nil {
			return Fault{fmt.Errorf("ConfigMap %s/%s: %w", namespace, cm.Name, err)}
		}
		if digest := experiment.Digest(raw); digest != ref.SHA256 {
			return Fault{fmt.Errorf("ConfigMap %s/%s: its digest is %s, but the index has %s", namespace, cm.Name, digest, ref.SHA256)}
		}
		s.Journal.Add(entries)
	}
	return nil
}

func (s *Stored) add(chunk store.Chunk) error {
	rows, err := chunk.Decode()
	if err != nil {
		return Fault{err}
	}
	delete(chunk.Binary, store.RowsKey) // the rows are decoded, and the bytes are many
	s.Rows, s.Chunks = append(s.Rows, rows...), append(s.Chunks, chunk)
	return nil
}

func readIndex(ctx context.Context, read ConfigMaps, namespace string, results *v1alpha1.ResultsStatus) (*store.Index, error) {
	cm, err := configMap(ctx, read, namespace, results.Index)
	if err != nil {
		return nil, err
	}
	raw := []byte(cm.Data[store.IndexKey])
	if digest := experiment.Digest(raw); digest != results.SHA256 {
		return nil, Fault{fmt.Errorf("ConfigMap %s/%s: its digest is %s, but the status has %s", namespace, cm.Name, digest, results.SHA256)}
	}
	index, err := store.DecodeIndex(raw)
	if err != nil {
		return nil, Fault{fmt.Errorf("ConfigMap %s/%s: %w", namespace, cm.Name, err)}
	}
	return index, nil
}

func readChunk(ctx context.Context, read ConfigMaps, namespace string, ref store.Reference) (store.Chunk, error) {
	cm, err := configMap(ctx, read, namespace, ref.Name)
	if err != nil {
		return store.Chunk{}, err
	}
	chunk := store.Chunk{Rows: ref.Rows, Data: cm.Data, Binary: cm.BinaryData}
	if digest := chunk.SHA256(); digest != ref.SHA256 {
		return store.Chunk{}, Fault{fmt.Errorf("ConfigMap %s/%s: its digest is %s, but the index has %s", namespace, cm.Name, digest, ref.SHA256)}
	}
	return chunk, nil
}

func configMap(ctx context.Context, read ConfigMaps, namespace, name string) (*corev1.ConfigMap, error) {
	cm, err := read(ctx, namespace, name)
	return cm, NotFound(err, "ConfigMap", namespace, name)
}
