// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"reflect"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// Validate reports the faults of a SimulationRun or PolicySweep that is already
// defaulted, its metadata included, by the CRD's schema and CEL rules. Its
// status is not looked at. It panics for any other type, and may be called
// concurrently.
func Validate(obj runtime.Object) field.ErrorList {
	d, object := untyped(obj)
	delete(object, "status")
	return d.validate(object)
}

// Variants validates objects of a kind that have most of their fields in common, one after the
// other: what an object shares with a valid one before it holds.
type Variants struct{ valid any } // valid is nil or the untyped form of an object

// Validate is the function Validate for an object into which values are written before: a field of
// a type that leaves out its zero value cannot state it.
func (v *Variants) Validate(obj runtime.Object, write func(object map[string]any)) field.ErrorList {
	d, object := untyped(obj)
	delete(object, "status")
	write(object)
	if reflect.DeepEqual(object, v.valid) {
		return nil
	}
	errs := d.validateVariant(object, v.valid)
	if len(errs) == 0 {
		v.valid = object
	}
	return errs
}

// Default sets the fields of a SimulationRun or PolicySweep that are not set to
// the CRD's defaults. It panics for any other type, and may be called
// concurrently for different objects.
func Default(obj runtime.Object) {
	d, object := untyped(obj)
	defaulting.Default(object, d.structural)
	var err error
	switch obj := obj.(type) {
	case *v1alpha1.SimulationRun:
		err = assign(obj, object)
	case *v1alpha1.PolicySweep:
		err = assign(obj, object)
	}
	if err != nil {
		panic(fmt.Sprintf("a defaulted %s does not fit its type: %v", d.kind, err))
	}
}

// assign replaces obj by a defaulted object. TypeMeta stays as the caller left
// it, as with a client of an API server.
func assign[T any, P interface {
	*T
	runtime.Object
}](obj P, object map[string]any) error {
	full, err := typed[T](object)
	if err != nil {
		return err
	}
	gvk := obj.GetObjectKind().GroupVersionKind()
	*obj = *full
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	return nil
}

// untyped gives the form that the schema's stages take.
func untyped(obj runtime.Object) (*definition, map[string]any) {
	var kind string
	switch obj.(type) {
	case *v1alpha1.SimulationRun:
		kind = v1alpha1.SimulationRunKind
	case *v1alpha1.PolicySweep:
		kind = v1alpha1.PolicySweepKind
	default:
		panic(fmt.Sprintf("%T is not a kind of %s", obj, v1alpha1.GroupVersion))
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		panic(fmt.Sprintf("convert %T: %v", obj, err))
	}
	object["apiVersion"], object["kind"] = v1alpha1.GroupVersion.String(), kind
	return definitions[kind](), object
}

// validate is what an API server's strategy for custom resources does on
// create: all of the first three, then the CEL rules.
func (d *definition) validate(object map[string]any) field.ErrorList {
	return d.validateVariant(object, nil)
}

// validateVariant is validate for an object of which a valid one is known, if valid is not nil.
func (d *definition) validateVariant(object map[string]any, valid any) field.ErrorList {
	errs := validateMetadata(object)
	errs = append(errs, validation.ValidateCustomResource(nil, object, d.openAPI)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, d.structural, object)...)
	if blocksRules(errs) {
		errs = append(errs, field.Invalid(nil, nil, "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"))
	} else if budget := int64(celconfig.RuntimeCELCostBudget); !d.rules.hold(object, valid, &budget) {
		budget = celconfig.RuntimeCELCostBudget
		ruleErrs := d.rules.check(nil, object, valid, &budget)
		nameBaselineParameters(ruleErrs, object)
		errs = append(errs, ruleErrs...)
	}
	sortFaults(errs)
	return errs
}

func validateMetadata(object map[string]any) field.ErrorList {
	metadata, _, err := readMetadata(object)
	if err != nil {
		return field.ErrorList{field.Invalid(field.NewPath("metadata"), field.OmitValueType{}, err.Error())}
	}
	return apivalidation.ValidateObjectMeta(metadata, true, apivalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
}

// blocksRules reports whether CEL rules could meet values that are not what the
// schema promises them.
func blocksRules(errs field.ErrorList) bool {
	for _, err := range errs {
		switch err.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return true
		}
	}
	return false
}
