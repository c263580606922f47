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

// text reads the text that a ConfigMap holds under a key, of which the digest is
// known.
func (r resultReader) text(ctx context.Context, name, key, digest string) ([]byte, *fault, error) {
	cm, f, err := r.configMap(ctx, name)
	if f != nil || err != nil {
		return nil, f, err
	}
	raw := []byte(cm.Data[key])
	if got := experiment.Digest(raw); got != digest {
		return nil, corruptResult("ConfigMap %s has the digest %s, but %s was written", name, got, digest), nil
	}
	return raw, nil, nil
}

// index reads an index.
func (r resultReader) index(ctx context.Context, name, digest string) (*store.Index, *fault, error) {
	raw, f, err := r.text(ctx, name, store.IndexKey, digest)
	if f != nil || err != nil {
		return nil, f, err
	}
	index, err := store.DecodeIndex(raw)
	if err != nil {
		return nil, corruptResult("ConfigMap %s: %v", name, err), nil
	}
	return index, nil, nil
}

// list reads a shard's list of chunks.
func (r resultReader) list(ctx context.Context, ref store.Reference) ([]store.Reference, *fault, error) {
	raw, f, err := r.text(ctx, ref.Name, store.ListKey, ref.SHA256)
	if f != nil || err != nil {
		return nil, f, err
	}
	references, err := store.DecodeList(raw)
	if err != nil {
		return nil, corruptResult("ConfigMap %s: %v", ref.Name, err), nil
	}
	return references, nil, nil
}

// chunk reads rows, and the UID of what holds them.
func (r resultReader) chunk(ctx context.Context, ref store.Reference) ([]result.Row, types.UID, *fault, error) {
	cm, f, err := r.configMap(ctx, ref.Name)
	if f != nil || err != nil {
		return nil, "", f, err
	}
	chunk := store.Chunk{Data: cm.Data, Binary: cm.BinaryData}
	if digest := chunk.SHA256(); digest != ref.SHA256 {
		return nil, "", corruptResult("ConfigMap %s has the digest %s, but the worker wrote %s", ref.Name, digest, ref.SHA256), nil
	}
	rows, err := chunk.Decode()
	if err != nil {
		return nil, "", corruptResult("ConfigMap %s: %v", ref.Name, err), nil
	}
	if len(rows) != ref.Rows {
		return nil, "", corruptResult("ConfigMap %s holds %d rows, but the worker reported %d", ref.Name, len(rows), ref.Rows), nil
	}
	return rows, cm.UID, nil, nil
}
