// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"encoding/json"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// readConfigMap gives a document's ConfigMap its type, strictly.
func readConfigMap(object map[string]any, strict field.ErrorList) (*corev1.ConfigMap, field.ErrorList) {
	raw, err := json.Marshal(object)
	if err != nil {
		return nil, field.ErrorList{syntaxFault(err)}
	}
	cm := &corev1.ConfigMap{}
	err = decodeStrictly(raw, cm)
	if unknown, ok := runtime.AsStrictDecodingError(err); ok {
		strict = append(strict, strictFaults(unknown.Errors())...)
	} else if err != nil {
		return nil, field.ErrorList{syntaxFault(err)}
	}
	if len(strict) > 0 {
		return nil, strict
	}
	dropServerFields(&cm.ObjectMeta)
	cm.Generation = 0
	if cm.Namespace == "" {
		cm.Namespace = metav1.NamespaceDefault
	}
	return cm, validateConfigMap(cm)
}

// validateConfigMap holds the rules of core/v1: the name, the keys, no key in
// both maps, and at most 1 MiB of values.
func validateConfigMap(cm *corev1.ConfigMap) field.ErrorList {
	errs := apivalidation.ValidateObjectMeta(&cm.ObjectMeta, true, apivalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
	data, binaryData := field.NewPath("data"), field.NewPath("binaryData")
	size := 0
	for _, key := range slices.Sorted(maps.Keys(cm.Data)) {
		size += len(cm.Data[key])
		errs = append(errs, validateKey(data, key)...)
		if _, ok := cm.BinaryData[key]; ok {
			errs = append(errs, field.Invalid(data.Key(key), key, "duplicate of key present in binaryData"))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(cm.BinaryData)) {
		size += len(cm.BinaryData[key])
		errs = append(errs, validateKey(binaryData, key)...)
	}
	if size > corev1.MaxSecretSize {
		errs = append(errs, field.TooLong(field.NewPath(""), "", corev1.MaxSecretSize))
	}
	return errs
}

func validateKey(path *field.Path, key string) field.ErrorList {
	var errs field.ErrorList
	for _, msg := range utilvalidation.IsConfigMapKey(key) {
		errs = append(errs, field.Invalid(path.Key(key), key, msg))
	}
	return errs
}
