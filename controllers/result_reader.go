// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/result"
)

// resultReader reads the results of one object. What is wrong with them is a fault;
// an error is the API server's.
type resultReader struct {
	reader    client.Reader
	namespace string
	// owner is the object that they must belong to.
	owner subject
}

// configMap reads an immutable ConfigMap of the owner's.
func (r resultReader) configMap(ctx context.Context, name string) (*corev1.ConfigMap, *fault, error) {
	var cm corev1.ConfigMap
	err := r.reader.Get(ctx, client.ObjectKey{Namespace: r.namespace, Name: name}, &cm)
	switch {
	case apierrors.IsNotFound(err):
		return nil, missingResult(name), nil
	case err != nil:
		return nil, nil, fmt.Errorf("read result %s: %w", name, err)
	case !ownedBy(&cm, r.owner):
		return nil, foreignResult(name), nil
	case !ptr.Deref(cm.Immutable, false):
		return nil, corruptResult("ConfigMap %s has the name of a result, but is not immutable", name), nil
	}
	return &cm, nil, nil
}

// textIn returns the text that a ConfigMap holds under a key, of which the digest is
// known.
func textIn(cm *corev1.ConfigMap, key, digest string) ([]byte, *fault) {
	raw := []byte(cm.Data[key])
	if got := experiment.Digest(raw); got != digest {
		return nil, corruptResult("ConfigMap %s has the digest %s, but %s was written", cm.Name, got, digest)
	}
	return raw, nil
}

// index reads an index.
func (r resultReader) index(ctx context.Context, name, digest string) (*store.Index, *fault, error) {
	cm, f, err := r.configMap(ctx, name)
	if f != nil || err != nil {
		return nil, f, err
	}
	raw, f := textIn(cm, store.IndexKey, digest)
	if f != nil {
		return nil, f, nil
	}
	index, err := store.DecodeIndex(raw)
	if err != nil {
		return nil, corruptResult("ConfigMap %s: %v", name, err), nil
	}
	return index, nil, nil
}

// list reads a shard's list of chunks, and returns the ConfigMap that holds it.
func (r resultReader) list(ctx context.Context, ref store.Reference) ([]store.Reference, *corev1.ConfigMap, *fault, error) {
	cm, f, err := r.configMap(ctx, ref.Name)
	if f != nil || err != nil {
		return nil, nil, f, err
	}
	raw, f := textIn(cm, store.ListKey, ref.SHA256)
	if f != nil {
		return nil, nil, f, nil
	}
	references, err := store.DecodeList(raw)
	if err != nil {
		return nil, nil, corruptResult("ConfigMap %s: %v", ref.Name, err), nil
	}
	return references, cm, nil, nil
}

// chunk reads rows, and the UID of what holds them.
func (r resultReader) chunk(ctx context.Context, ref store.Reference) ([]result.Row, types.UID, *fault, error) {
	cm, f, err := r.configMap(ctx, ref.Name)
	if f != nil || err != nil {
		return nil, "", f, err
	}
	rows, f := rowsIn(cm, ref)
	return rows, cm.UID, f, nil
}

// listed reads a chunk of a list, whose ConfigMap may hold the chunk itself.
func (r resultReader) listed(ctx context.Context, ref store.Reference, list *corev1.ConfigMap) ([]result.Row, types.UID, *fault, error) {
	if ref.Name != list.Name {
		return r.chunk(ctx, ref)
	}
	rows, f := rowsIn(list, ref)
	return rows, list.UID, f, nil
}

// rowsIn returns the rows of the chunk that a ConfigMap holds.
func rowsIn(cm *corev1.ConfigMap, ref store.Reference) ([]result.Row, *fault) {
	chunk := store.Chunk{Data: cm.Data, Binary: cm.BinaryData}
	rows, digest, err := chunk.DecodeAndDigest(ref.Rows)
	if digest != ref.SHA256 {
		return nil, corruptResult("ConfigMap %s has the digest %s, but the worker wrote %s", ref.Name, digest, ref.SHA256)
	}
	if err != nil {
		return nil, corruptResult("ConfigMap %s: %v", ref.Name, err)
	}
	if len(rows) != ref.Rows {
		return nil, corruptResult("ConfigMap %s holds %d rows, but the worker reported %d", ref.Name, len(rows), ref.Rows)
	}
	return rows, nil
}
