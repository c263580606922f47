// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/result"
)

// Stored is what the ConfigMaps of an object hold.
type Stored struct {
	Rows []result.Row
	// Series are chunks with time series, and nothing else.
	Series []store.Chunk
	// Decisions are kept routing decisions: gzip files of JSON lines.
	Decisions [][]byte
}

// Read reads an object's results by their index, each chunk checked against its digest.
func Read(ctx context.Context, reader client.Reader, kind string, of client.Object, results *v1alpha1.ResultsStatus) (*Stored, error) {
	namespace := of.GetNamespace()
	if results == nil {
		return nil, Fault{fmt.Errorf("%s %s/%s has no results yet", kind, namespace, of.GetName())}
	}
	index, err := readIndex(ctx, reader, namespace, results)
	if err != nil {
		return nil, err
	}
	s := &Stored{}
	for _, ref := range index.Chunks {
		chunk, err := readChunk(ctx, reader, namespace, ref)
		if err != nil {
			return nil, err
		}
		if err := s.add(chunk); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Stored) add(chunk store.Chunk) error {
	rows, err := chunk.Decode()
	if err != nil {
		return err
	}
	s.Rows = append(s.Rows, rows...)
	if series, ok := chunk.Binary[store.SeriesKey]; ok {
		s.Series = append(s.Series, store.Chunk{Binary: map[string][]byte{store.SeriesKey: series}})
	}
	if decisions, ok := chunk.Binary[store.DecisionsKey]; ok {
		s.Decisions = append(s.Decisions, decisions)
	}
	return nil
}

func readIndex(ctx context.Context, reader client.Reader, namespace string, results *v1alpha1.ResultsStatus) (*store.Index, error) {
	cm, err := configMap(ctx, reader, namespace, results.Index)
	if err != nil {
		return nil, err
	}
	raw := []byte(cm.Data[store.IndexKey])
	if digest := experiment.Digest(raw); digest != results.SHA256 {
		return nil, fmt.Errorf("ConfigMap %s/%s: its digest is %s, but the status has %s", namespace, cm.Name, digest, results.SHA256)
	}
	return store.DecodeIndex(raw)
}

func readChunk(ctx context.Context, reader client.Reader, namespace string, ref store.Reference) (store.Chunk, error) {
	cm, err := configMap(ctx, reader, namespace, ref.Name)
	if err != nil {
		return store.Chunk{}, err
	}
	chunk := store.Chunk{Rows: ref.Rows, Data: cm.Data, Binary: cm.BinaryData}
	if digest := chunk.SHA256(); digest != ref.SHA256 {
		return store.Chunk{}, fmt.Errorf("ConfigMap %s/%s: its digest is %s, but the index has %s", namespace, cm.Name, digest, ref.SHA256)
	}
	return chunk, nil
}

func configMap(ctx context.Context, reader client.Reader, namespace, name string) (*corev1.ConfigMap, error) {
	var cm corev1.ConfigMap
	if err := reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &cm); err != nil {
		return nil, NotFound(err, "ConfigMap", namespace, name)
	}
	return &cm, nil
}
