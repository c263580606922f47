// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// A Set is the objects of one or more files, in the files' order. No two of a
// kind have the same namespace and name.
type Set struct {
	Runs       []*v1alpha1.SimulationRun
	Sweeps     []*v1alpha1.PolicySweep
	ConfigMaps []*corev1.ConfigMap
	// Others are the kinds of the objects that were passed over, one each, with
	// their apiVersion in front.
	Others []string

	// origins are where objects were read. Those made in Go have none.
	origins map[identity]origin
}

// Object is what a set holds.
type Object interface {
	metav1.Object
	runtime.Object
}

type identity struct{ kind, namespace, name string }

func (id identity) String() string {
	return fmt.Sprintf("%s %s/%s", id.kind, id.namespace, id.name)
}

type origin struct {
	file     string
	document int
	text     document
	// path is where in the document the object stands; "" is all of it.
	path string
}

// item is the origin of an item of a List.
func (o origin) item(at *field.Path) origin {
	o.path = strings.TrimPrefix(o.path+"."+at.String(), ".")
	return o
}

func (o origin) String() string {
	if o.file == "" {
		return "the set"
	}
	return fmt.Sprintf("%s, document %d", o.file, o.document)
}

// Merge adds another set's objects to s. Names that both have are errors, all
// of them at once, and leave s as it was.
func (s *Set) Merge(other *Set) error {
	mine := map[identity]origin{}
	for id := range s.identities() {
		mine[id] = s.origins[id]
	}
	var taken []error
	for id := range other.identities() {
		if first, ok := mine[id]; ok {
			taken = append(taken, fmt.Errorf("%s: %s is already in %s", other.origins[id], id, first))
		}
	}
	if len(taken) > 0 {
		return errors.Join(taken...)
	}
	s.Runs = append(s.Runs, other.Runs...)
	s.Sweeps = append(s.Sweeps, other.Sweeps...)
	s.ConfigMaps = append(s.ConfigMaps, other.ConfigMaps...)
	s.Others = append(s.Others, other.Others...)
	for id, from := range other.origins {
		s.remember(id, from)
	}
	return nil
}

// FileOf is the name of the stream that one of the set's objects was read from.
func (s *Set) FileOf(o Object) string {
	return s.origins[identityOf(o.GetObjectKind().GroupVersionKind().Kind, o)].file
}

// LineOf is the line of a field of one of the set's objects, in the file that it
// was read from. A field that is not there has the line of the deepest one around it.
func (s *Set) LineOf(o Object, path string) int {
	from := s.origins[identityOf(o.GetObjectKind().GroupVersionKind().Kind, o)]
	return from.text.lineOf(from.text.node(), strings.Trim(from.path+"."+path, "."))
}

// claim remembers where an object was read, or says where its name was taken.
func (s *Set) claim(kind string, obj metav1.Object, from origin) field.ErrorList {
	id := identityOf(kind, obj)
	if first, taken := s.origins[id]; taken {
		e := field.Duplicate(field.NewPath("metadata", "name"), id.name)
		e.Detail = "already in " + first.String()
		return field.ErrorList{e}
	}
	s.remember(id, from)
	return nil
}

func (s *Set) remember(id identity, from origin) {
	if s.origins == nil {
		s.origins = map[identity]origin{}
	}
	s.origins[id] = from
}

func identityOf(kind string, obj metav1.Object) identity {
	return identity{kind, obj.GetNamespace(), obj.GetName()}
}

// identities walks over all objects, kind by kind.
func (s *Set) identities() iter.Seq[identity] {
	return func(yield func(identity) bool) {
		for _, o := range s.Runs {
			if !yield(identityOf(v1alpha1.SimulationRunKind, o)) {
				return
			}
		}
		for _, o := range s.Sweeps {
			if !yield(identityOf(v1alpha1.PolicySweepKind, o)) {
				return
			}
		}
		for _, o := range s.ConfigMaps {
			if !yield(identityOf("ConfigMap", o)) {
				return
			}
		}
	}
}
