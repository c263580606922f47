# SPDX-License-Identifier: Apache-2.0
"""The evaluator of OpenEvolve 0.3.2 (commit 411fb59) for routing policies in Starlark.

    openevolve-run prefix-and-load.star openevolve_evaluator.py -c config.yaml

WINDTUNNEL_SCENARIOS and WINDTUNNEL_SEEDS are lists with commas: the manifests, or the
names of a server's scenarios, and the seeds. The score is the mean over all of them.
WINDTUNNEL_SECONDS (default: 240) must be less than evaluator.timeout of the configuration.
"""

import os

import windtunnel

try:
    from openevolve.evaluation_result import EvaluationResult
except ImportError:
    EvaluationResult = None

# Each result has them all: the program database of OpenEvolve needs its dimensions.
FEATURES = ["policy_bytes", "cacheHit.gpu", "kvUsage.mean", "utilization"]


def evaluate(program_path):
    with open(program_path, encoding="utf-8") as file:
        source = file.read()
    scenarios = os.environ.get("WINDTUNNEL_SCENARIOS", "").split(",")
    seeds = os.environ.get("WINDTUNNEL_SEEDS", "42").split(",")
    examples = [{"scenario": scenario, "seed": int(seed)} for scenario in scenarios for seed in seeds]
    try:
        answers = windtunnel.ask(source, "starlark", examples, float(os.environ.get("WINDTUNNEL_SECONDS", "240")))
    except windtunnel.Late:
        answers = [windtunnel.late(example) for example in examples]
    metrics = {"combined_score": mean(answers, lambda a: a["combined_score"])}
    for name in FEATURES:
        metrics[name] = mean(answers, lambda a: a["features"].get(name, 0.0))
    for name in answers[0]["scores"]:
        metrics["score." + name] = mean(answers, lambda a: a["scores"].get(name, 0.0))
    if EvaluationResult is None:
        return metrics
    texts = {f"{a['scenario']}, seed {a['seed']}": windtunnel.feedback(a) for a in answers}
    return EvaluationResult(metrics=metrics, artifacts=texts)


def mean(answers, value):
    return sum(value(a) for a in answers) / len(answers)
