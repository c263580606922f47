# SPDX-License-Identifier: Apache-2.0
"""The adapter of GEPA 0.1 for policies whose components are programs in Starlark.

    gepa.optimize(seed_candidate={"routing": source}, adapter=gepa_adapter.Adapter(),
                  trainset=[{"scenario": "a.yaml", "seed": 1}, ...], valset=..., ...)

A candidate has the text of each component by its name: admission, priority, routing,
scheduler, autoscale. An example has a manifest, or the name of a server's scenario, and
a seed. GEPA shows the records of make_reflective_dataset to a language model: each has the
interface of the program, with its arguments and signals.
"""

import json
import os

import windtunnel

try:
    from gepa.core.adapter import EvaluationBatch
except ImportError:
    from types import SimpleNamespace as EvaluationBatch


with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "policy_interface.json"), encoding="utf-8") as file:
    INTERFACE = json.load(file)


def interface(component, signals=()):
    """What a program of a component sees and answers, for a language model."""
    of = INTERFACE["components"][component]
    fields = dict(of["fields"])
    if component == "routing":
        for name in signals:
            fields["endpoints[i]." + name.replace("-", "_")] = "a signal: " + INTERFACE["signals"][name]
    return "\n".join([f"A program in Starlark that defines {of['function']} It returns {of['answers']}. It may read:"]
                     + [f"- {name}: {meaning}" for name, meaning in fields.items()])


class Adapter:
    propose_new_texts = None  # GEPA's own

    def __init__(self, signals=("prefix-affinity",), seconds=240.0):
        self.signals, self.seconds = list(signals), seconds

    def evaluate(self, batch, candidate, capture_traces=False):
        bundle = {"apiVersion": "sim.windtunnel.dev/v1alpha1", "kind": "PolicyBundle"}
        for name, source in candidate.items():
            bundle[name] = {"starlark": {"source": source}}
        if "routing" in bundle:
            bundle["routing"]["signals"] = self.signals
        try:
            answers = windtunnel.ask(json.dumps(bundle), "bundle", batch, self.seconds)
        except windtunnel.Late:
            answers = [windtunnel.late(example) for example in batch]
        return EvaluationBatch(
            outputs=answers,
            scores=[a["combined_score"] for a in answers],
            trajectories=answers if capture_traces else None,
            objective_scores=[a["scores"] for a in answers],
            num_metric_calls=len(batch),
        )

    def make_reflective_dataset(self, candidate, eval_batch, components_to_update):
        def records(answer, component):
            return [{
                "Inputs": {"scenario": answer["scenario"], "seed": str(answer["seed"]), "interface": interface(component, self.signals)},
                "Generated Outputs": json.dumps(answer["scores"], sort_keys=True),
                "Feedback": windtunnel.feedback(answer),
            }] + answer["components"].get(component, [])

        return {component: [r for a in eval_batch.trajectories for r in records(a, component)]
                for component in components_to_update}
