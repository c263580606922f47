// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"maps"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// readResource takes a decoded object of our group through every stage.
func readResource[T any](kind string, object map[string]any, strict field.ErrorList) (*T, field.ErrorList) {
	d := definitions[kind]()
	if strict = append(strict, d.prepare(object)...); len(strict) > 0 {
		return nil, strict
	}
	if errs := d.validate(object); len(errs) > 0 {
		return nil, errs
	}
	obj, err := typed[T](object)
	if err != nil {
		// A schema cannot say all that a type demands, such as what makes a
		// resource quantity.
		return nil, field.ErrorList{wholeFault(err.Error())}
	}
	return obj, nil
}

// prepare takes a decoded object of the kind through what an API server does
// before it validates, in the server's order. It reports unknown fields; an
// object that has some is not looked at further, as on a server.
func (d *definition) prepare(object map[string]any) field.ErrorList {
	metadata, unknown, err := readMetadata(object)
	if err != nil {
		return field.ErrorList{field.Invalid(field.NewPath("metadata"), field.OmitValueType{}, err.Error())}
	}
	for _, path := range d.prune(object) {
		around := d.around(path)
		unknown = append(unknown, unknownFault(path, fieldsOf(around), fieldsBeneath(around, lastKey(path))))
	}
	if len(unknown) > 0 {
		return unknown
	}
	defaulting.Default(object, d.structural)
	dropServerFields(metadata)
	delete(object, "status")
	if metadata.Namespace == "" {
		metadata.Namespace = metav1.NamespaceDefault
	}
	if err := objectmeta.SetObjectMeta(object, metadata); err != nil {
		return field.ErrorList{field.InternalError(field.NewPath("metadata"), err)}
	}
	return nil
}

// readMetadata returns what is known of an object's metadata, and the faults of
// what is not. An object without any has none.
func readMetadata(object map[string]any) (*metav1.ObjectMeta, field.ErrorList, error) {
	metadata, found, unknown, err := objectmeta.GetObjectMetaWithOptions(object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, nil, err
	}
	if !found {
		metadata = &metav1.ObjectMeta{}
	}
	var faults field.ErrorList
	for _, path := range unknown {
		faults = append(faults, unknownFault(path, nil, nil))
	}
	return metadata, faults, nil
}

// dropServerFields clears what a server sets itself, whatever a client sends.
func dropServerFields(m *metav1.ObjectMeta) {
	m.UID = ""
	m.ResourceVersion = ""
	m.SetSelfLink("")
	m.Generation = 1
	m.CreationTimestamp = metav1.Time{}
	m.DeletionTimestamp = nil
	m.DeletionGracePeriodSeconds = nil
	m.ManagedFields = nil
}

// prune removes fields that the schema does not have, and nulls where none may
// be, and returns the paths of the former.
func (d *definition) prune(object map[string]any) []string {
	unknown := pruning.PruneWithOptions(object, d.structural, true, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	defaulting.PruneNonNullableNullsWithoutDefaults(object, d.structural)
	return unknown
}

// around is the object that a path's last field is not in; nil if there is none.
func (d *definition) around(path string) *schema.Structural {
	around, _ := d.along(path)
	return around
}

// at is the schema of a field; nil if there is none.
func (d *definition) at(path string) *schema.Structural {
	_, at := d.along(path)
	return at
}

// along goes down a path: what is around its last field that there is a schema for, and that field's
// own; nil where the path leaves the schema.
func (d *definition) along(path string) (around, at *schema.Structural) {
	at = d.structural
	for rest := path; rest != "" && at != nil; {
		var key string
		key, rest = nextKey(rest)
		around = at
		if at.Items != nil {
			at = at.Items
			continue
		}
		next, ok := at.Properties[key]
		if !ok {
			return around, nil
		}
		at = &next
	}
	return around, at
}

// fieldsOf are the names of an object's fields.
func fieldsOf(s *schema.Structural) []string {
	if s == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.Properties))
}

// fieldsBeneath are the paths of the fields of a name in the fields of an object, such as
// sessions.thinkTime.
func fieldsBeneath(s *schema.Structural, name string) []string {
	var paths []string
	for _, of := range fieldsOf(s) {
		if child := s.Properties[of]; slices.Contains(fieldsOf(&child), name) {
			paths = append(paths, of+"."+name)
		}
	}
	return paths
}

// typed converts a defaulted object to its Go type.
func typed[T any](object map[string]any) (*T, error) {
	into := new(T)
	return into, runtime.DefaultUnstructuredConverter.FromUnstructured(object, into)
}
