// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"
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
	w.defaulted = selectsTokens(part(t, "data", defaultEntry))
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

// selectsTokens reports whether an entry selects the analyser by tokens.
func selectsTokens(entry tree) bool {
	analysers, _ := entry["analyzers"].([]any)
	return len(analysers) > 0 || entry["analyzerName"] == "saturation"
}

// readEntry reads an entry that the table allows, by the rules of the controller, which drops an
// entry that breaks them and then scales nothing.
func (m *Manifest) readEntry(entry tree, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if _, isText := entry["analyzerName"].(string); entry["analyzerName"] != nil && !isText {
		errs = append(errs, field.Invalid(path.Child("analyzerName"), plain(entry["analyzerName"]), "must be a string"))
	}
	m.wva = wva.Config{
		KVCacheThreshold: numeric(entry, "kvCacheThreshold"), QueueLengthThreshold: numeric(entry, "queueLengthThreshold"),
		KVSpareTrigger: numeric(entry, "kvSpareTrigger"), QueueSpareTrigger: numeric(entry, "queueSpareTrigger"),
	}
	if selectsTokens(entry) {
		m.wva = wva.Config{
			KVCacheThreshold: cmp.Or(m.wva.KVCacheThreshold, 0.8), QueueLengthThreshold: cmp.Or(m.wva.QueueLengthThreshold, 5),
			KVSpareTrigger: cmp.Or(m.wva.KVSpareTrigger, 0.1), QueueSpareTrigger: cmp.Or(m.wva.QueueSpareTrigger, 3),
		}
		errs = append(errs, m.readTokens(entry, path)...)
	} else if entry["enableLimiter"] == true {
		m.NotSimulated = append(m.NotSimulated, field.Forbidden(path.Child("enableLimiter"), "the limiter of the analyser by percentages is not simulated: state false. maxNodes of a node pool bounds the replicas of a scenario"))
	}
	if m.wva.KVCacheThreshold < m.wva.KVSpareTrigger {
		errs = append(errs, field.Invalid(path.Child("kvSpareTrigger"), plain(entry["kvSpareTrigger"]), fmt.Sprintf("must be at most kvCacheThreshold, %v", m.wva.KVCacheThreshold)))
	}
	return errs
}

// numeric is a number of an entry; 0 where it is not stated.
func numeric(entry tree, name string) float64 {
	x, _ := fraction(entry[name])
	return x
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
