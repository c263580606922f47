# SPDX-License-Identifier: Apache-2.0
"""Calls a shim as its framework does: for each line with a program, prints a line with the
score and the text that the framework shows to a language model."""

import dataclasses
import json
import os
import sys
import tempfile
import types


def stand_in(name, **content):
    module = types.ModuleType(name)
    module.__dict__.update(content)
    sys.modules[name] = module


@dataclasses.dataclass
class EvaluationResult:
    metrics: dict
    artifacts: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class EvaluationBatch:
    outputs: list
    scores: list
    trajectories: list = None
    objective_scores: list = None
    num_metric_calls: int = None


stand_in("openevolve")
stand_in("openevolve.evaluation_result", EvaluationResult=EvaluationResult)
stand_in("gepa")
stand_in("gepa.core")
stand_in("gepa.core.adapter", EvaluationBatch=EvaluationBatch)


def by_openevolve(source, seed):
    import openevolve_evaluator
    os.environ["WINDTUNNEL_SEEDS"] = str(seed)
    with tempfile.NamedTemporaryFile("w", suffix=".star", encoding="utf-8") as file:
        file.write(source)
        file.flush()
        result = openevolve_evaluator.evaluate(file.name)
    return result.metrics["combined_score"], "\n".join(result.artifacts.values())


def by_gepa(source, seed):
    import gepa_adapter
    adapter, candidate = gepa_adapter.Adapter(), {"routing": source}
    batch = adapter.evaluate([{"scenario": "apps", "seed": seed}], candidate, capture_traces=True)
    records = adapter.make_reflective_dataset(candidate, batch, ["routing"])["routing"]
    return batch.scores[0], "\n\n".join(r["Feedback"] for r in records)


ask = {"openevolve": by_openevolve, "gepa": by_gepa}[sys.argv[1]]
for line in sys.stdin:
    question = json.loads(line)
    os.environ["WINDTUNNEL_SUMMARY"] = question["summary"]
    score, text = ask(question["source"], question["seed"])
    print(json.dumps({"Score": score, "Text": text}), flush=True)
