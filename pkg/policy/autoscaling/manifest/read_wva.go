// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/wva"
)

// defaultEntry is the entry of the ConfigMap that counts.
const defaultEntry = "default"

// readConfigMap reads the ConfigMap of a workload-variant-autoscaler, or its entry alone.
func readConfigMap(raw []byte, path *field.Path) (*Manifest, field.ErrorList) {
	t, bare, errs := findConfigMap(raw, path)
	if len(errs) > 0 {
		return nil, errs
	}
	m := &Manifest{Kind: ConfigMap}
	at := path.Child("data", defaultEntry)
	if bare {
		at = path
	} else if errs := m.openEntries(t, path.Child("data")); len(errs) > 0 {
		return nil, errs
	}
	w := newWalker(ConfigMap)
	if bare {
		w.object(part(t, "data", defaultEntry), "data."+defaultEntry, at)
	} else {
		w.object(t, "", path)
	}
	if m.NotSimulated = w.notSimulated; len(w.errs) > 0 {
		return nil, append(w.errs, w.notSimulated...)
	}
	entry := part(t, "data", defaultEntry)
	m.document = tree{"apiVersion": t["apiVersion"], "kind": t["kind"], "data": tree{defaultEntry: entry}}
	return m, m.readEntry(entry, at)
}

// findConfigMap returns the ConfigMap of a text. The text of an entry alone is one with this
// entry.
func findConfigMap(raw []byte, path *field.Path) (t tree, bare bool, errs field.ErrorList) {
	if all := documents(raw); len(all) == 1 {
		if entry, err := parse(all[0]); err == nil && entry != nil && entry["kind"] == nil {
			return tree{"apiVersion": ConfigMap.apiVersion(), "kind": string(ConfigMap), "data": tree{defaultEntry: entry}}, true, nil
		}
	}
	t, errs = find(ConfigMap, raw, path)
	return t, false, errs
}

// openEntries replaces the text of the entry that counts by its object, and takes the others
// away.
func (m *Manifest) openEntries(t tree, path *field.Path) field.ErrorList {
	data, _ := t["data"].(tree)
	opened := tree{}
	var errs field.ErrorList
	for _, name := range sorted(data) {
		at := path.Child(name)
		text, ok := data[name].(string)
		if !ok {
			errs = append(errs, field.Invalid(at, plain(data[name]), "must be a text of YAML: write | after the colon"))
			continue
		}
		if name != defaultEntry {
			m.Ignored = append(m.Ignored, name)
			continue
		}
		entry, err := parse([]byte(text))
		if err != nil {
			errs = append(errs, field.Invalid(at, field.OmitValueType{}, fmt.Sprintf("is no YAML object: %v", err)))
			continue
		}
		opened[name] = entry
		if entry == nil {
			opened[name] = tree{}
		}
	}
	if data != nil {
		t["data"] = opened
	}
	return errs
}

// readEntry reads an entry that the table allows, by the rules of the controller, which drops an
// entry that breaks them and then scales nothing.
func (m *Manifest) readEntry(entry tree, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	switch name, isText := entry["analyzerName"].(string); {
	case entry["analyzerName"] != nil && !isText:
		errs = append(errs, field.Invalid(path.Child("analyzerName"), plain(entry["analyzerName"]), "must be a string"))
	case name == "saturation":
		m.NotSimulated = append(m.NotSimulated, field.Forbidden(path.Child("analyzerName"), otherAnalyser))
	}
	value := func(name string) float64 {
		x, _ := fraction(entry[name])
		return x
	}
	m.wva = wva.Config{
		KVCacheThreshold: value("kvCacheThreshold"), QueueLengthThreshold: value("queueLengthThreshold"),
		KVSpareTrigger: value("kvSpareTrigger"), QueueSpareTrigger: value("queueSpareTrigger"),
	}
	if m.wva.KVCacheThreshold < m.wva.KVSpareTrigger {
		errs = append(errs, field.Invalid(path.Child("kvSpareTrigger"), plain(entry["kvSpareTrigger"]), fmt.Sprintf("must be at most kvCacheThreshold, %v", entry["kvCacheThreshold"])))
	}
	return errs
}

// Open is the document that paths lead into, of a text in the one spelling of [Canonical]: a
// ConfigMap with objects instead of the texts of its entries.
func Open(kind Kind, text string) (map[string]any, error) {
	document, err := decode([]byte(text))
	if kind != ConfigMap || err != nil {
		return document, err
	}
	data := part(document, "data")
	for name, entry := range data {
		if data[name], err = decode([]byte(entry.(string))); err != nil {
			return nil, err
		}
	}
	return document, nil
}

// Close is the text of a document that [Open] made.
func Close(kind Kind, document map[string]any) string {
	if data, ok := document["data"].(tree); ok && kind == ConfigMap {
		closed := tree{}
		for name, entry := range data {
			closed[name] = entry
			if inner, ok := entry.(tree); ok {
				closed[name] = string(canonical(inner))
			}
		}
		outer := tree{}
		for name, value := range document {
			outer[name] = value
		}
		outer["data"] = closed
		document = outer
	}
	return string(canonical(document))
}
