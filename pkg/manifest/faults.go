// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"errors"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/spelling"
)

// wholeFault is about a document, not about one of its fields.
func wholeFault(detail string) *field.Error {
	return &field.Error{Type: field.ErrorTypeInvalid, BadValue: field.OmitValueType{}, Detail: detail}
}

// syntaxFault keeps the parser's text, which names lines, and drops what the
// libraries around it say of themselves.
func syntaxFault(err error) *field.Error {
	text := err.Error()
	for _, prefix := range []string{"error converting YAML to JSON: ", "couldn't get version/kind; json parse error: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return wholeFault(text)
}

func duplicateFault(path string) *field.Error {
	return forbidden(path, "duplicate field")
}

// unknownFault names the fields that are known where path is not, and those beneath them
// that are called alike.
func unknownFault(path string, known, beneath []string) *field.Error {
	what := "unknown field"
	if key := lastKey(path); key == "true" || key == "false" {
		what += " (" + booleanAdvice + ")"
	}
	if len(known) == 0 {
		return forbidden(path, what)
	}
	what += "; there are " + strings.Join(known, ", ")
	if near := spelling.Slip(lastKey(path), known); len(beneath) == 0 && near != "" {
		beneath = []string{near}
	}
	if len(beneath) > 0 {
		what += "; did you mean " + strings.ReplaceAll(spelling.Quote(beneath), ", ", " or ") + "?"
	}
	return forbidden(path, what)
}

func forbidden(path, detail string) *field.Error {
	return &field.Error{Type: field.ErrorTypeForbidden, Field: path, BadValue: "", Detail: detail}
}

// strictFaults turns the strict JSON decoder's errors into ones with a path.
func strictFaults(errs []error) field.ErrorList {
	var list field.ErrorList
	for _, err := range errs {
		var at interface{ FieldPath() string }
		switch {
		case !errors.As(err, &at):
			list = append(list, syntaxFault(err))
		case strings.HasPrefix(err.Error(), "duplicate"):
			list = append(list, duplicateFault(at.FieldPath()))
		default:
			list = append(list, unknownFault(at.FieldPath(), nil, nil))
		}
	}
	return list
}

// sortFaults puts faults in the order of their paths: the validators walk maps,
// and a message must not change from run to run.
func sortFaults(errs field.ErrorList) {
	slices.SortStableFunc(errs, func(a, b *field.Error) int {
		if c := strings.Compare(a.Field, b.Field); c != 0 {
			return c
		}
		return strings.Compare(a.ErrorBody(), b.ErrorBody())
	})
}
