# SPDX-License-Identifier: Apache-2.0
"""Asks the planner of Dynamo, time after time, and prints what it decides.

A checkout of ai-dynamo/dynamo has the planner, and one of rlabbe/filterpy the Kalman filter; it
needs numpy, scipy, sklearn, grpcio, protobuf, packaging and prometheus_client. What else the planner
imports stands in here: the validation of fields, the transport of metrics between processes, and the
model of an engine, which is linear.
"""

import asyncio
import json
import logging
import pickle
import sys
import types

CHECKOUT, FILTER = sys.argv[1:3]


class Field:
    def __init__(self, default=..., default_factory=None, **_):
        self.default, self.factory = default, default_factory


class Record:
    """Stands in for records that check their fields."""

    def __init__(self, **values):
        for of in reversed(type(self).__mro__):
            for name in getattr(of, "__annotations__", {}):
                value = getattr(type(self), name, None)
                if isinstance(value, Field):
                    value = value.factory() if value.factory else value.default
                setattr(self, name, values.pop(name, value))
        if values:
            raise TypeError(f"unknown fields {values}")
        self.model_post_init(None)

    def model_post_init(self, _context):
        pass

    def __init_subclass__(cls, **_):
        pass

    def model_copy(self, update=None, deep=False):
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__, **(update or {}))
        return copy


def ignored(*_, **__):
    return lambda function: function


class Linear:
    """The model of an engine: milliseconds of a step by what it computes."""

    coefficients = ()

    @classmethod
    def from_regression(cls, _options):
        return cls()

    def tune_with_fpms(self, _iterations):
        pass

    def diagnostics(self):
        return {"readiness": "ready"}

    def estimate_forward_pass_time_ms(self, ranks):
        base, prefill, decode, kv = Linear.coefficients
        s = ranks[0]["scheduled_requests"]
        ms = base + prefill * s["sum_prefill_tokens"]
        ms = ms + decode * s["num_decode_requests"]
        return ms + kv * s["sum_decode_kv_tokens"]


def builtins(value):
    if isinstance(value, Record):
        return {name: builtins(v) for name, v in vars(value).items()}
    return value


def unmeasured():
    raise ValueError("without metrics")


def module(name, **names):
    made = types.ModuleType(name)
    made.__dict__.update(names)
    sys.modules[name] = made
    return made


module("pydantic", BaseModel=Record, Field=Field, ConfigDict=dict, AliasChoices=ignored,
       field_validator=ignored, model_validator=ignored)
packer = types.SimpleNamespace(Encoder=lambda: types.SimpleNamespace(encode=pickle.dumps),
                               Decoder=lambda _type: types.SimpleNamespace(decode=pickle.loads))
module("msgspec", Struct=Record, msgpack=packer, to_builtins=builtins)
module("aiconfigurator_core")
module("aiconfigurator_core.sdk", RustForwardPassPerfModel=Linear)
module("pmdarima"), module("pandas"), module("prophet", Prophet=None)
module("dynamo").__path__ = [CHECKOUT + "/components/src/dynamo"]
module("dynamo.planner").__path__ = [CHECKOUT + "/components/src/dynamo/planner"]
module("dynamo.planner.environment.interface", PlannerEnvironment=object)
module("dynamo.planner.monitoring.planner_metrics", PluginFrameworkMetrics=unmeasured)
module("dynamo.runtime")
module("dynamo.runtime.logging", configure_dynamo_logging=lambda: None)
sys.path.append(FILTER)
logging.disable(logging.CRITICAL)

from dynamo.common.forward_pass_metrics import ForwardPassMetrics, QueuedRequestMetrics, ScheduledRequestMetrics  # noqa: E402
from dynamo.planner.config.planner_config import PlannerConfig, SchedulingConfig  # noqa: E402
from dynamo.planner.core import types as core  # noqa: E402
from dynamo.planner.plugins.clock import VirtualClock  # noqa: E402
from dynamo.planner.plugins.orchestrator.engine_adapter import OrchestratorEngineAdapter  # noqa: E402


def planner_config(sequence, mode):
    of, interval = sequence["Config"], sequence["Interval"]
    config = PlannerConfig(
        mode=mode, optimization_target=of["Target"], ttft_ms=of["TTFT"], itl_ms=of["ITL"],
        enable_load_scaling=of["Load"], enable_throughput_scaling=of["Throughput"],
        load_adjustment_interval_seconds=interval, throughput_adjustment_interval_seconds=interval * sequence["Every"],
        load_predictor="kalman" if of["Predictor"]["Kalman"] else "constant", load_predictor_log1p=of["Predictor"]["Log1p"],
        kalman_q_level=of["Predictor"]["QLevel"], kalman_q_trend=of["Predictor"]["QTrend"], kalman_r=of["Predictor"]["R"],
        kalman_min_points=of["Predictor"]["MinPoints"], load_scaling_down_sensitivity=of["Sensitivity"],
        prefill_scale_up_queue_tokens=of["PrefillUp"], prefill_scale_down_queue_tokens=of["PrefillDown"],
        decode_scale_up_kv_rate=of["DecodeUp"], decode_scale_down_kv_rate=of["DecodeDown"],
        min_gpu_budget=of["MinGPUs"], max_gpu_budget=of["MaxGPUs"], min_endpoint=of["Min"][-1],
        prefill_min_endpoint=of["Min"][0] if mode == "disagg" else None,
        scheduling=SchedulingConfig(scale_interval_seconds=interval))
    return config._validate_config()


def capabilities(of):
    all = [core.EngineCapabilities(
        num_gpu=x["GPUs"], max_num_batched_tokens=x["BatchedTokens"], max_num_seqs=x["Sequences"],
        context_length=x["ContextTokens"], max_kv_tokens=x["KVTokens"], speculative_nextn=x["Drafts"]) for x in of]
    return core.WorkerCapabilities(prefill=all[0] if len(all) > 1 else None, decode=all[-1])


def engines(of):
    def work(kind, x):
        return kind(num_prefill_requests=x["Prefills"], sum_prefill_tokens=x["PrefillTokens"],
                    num_decode_requests=x["Decodes"], sum_decode_kv_tokens=x["DecodeTokens"])
    return {(f"{e['Worker']:04d}", e["Rank"]): ForwardPassMetrics(
        worker_id=f"{e['Worker']:04d}", dp_rank=e["Rank"], scheduled_requests=work(ScheduledRequestMetrics, e["Scheduled"]),
        queued_requests=work(QueuedRequestMetrics, e["Queued"])) for e in of or []}


async def decisions(sequence):
    limits = sequence["Limits"]
    Linear.coefficients = sequence["Forward"]
    config = planner_config(sequence, "disagg" if len(limits) > 1 else "agg")
    planner = OrchestratorEngineAdapter(config, capabilities(limits), clock=VirtualClock())
    tick = planner.initial_tick(0.0)
    answers = []
    for step in sequence["Steps"]:
        prefill, decode = (step["Pools"] if len(limits) > 1 else [None] + step["Pools"])
        counts = core.WorkerCounts(ready_num_decode=decode["Ready"], expected_num_decode=decode["Expected"])
        fpm = core.FpmObservations(decode=engines(decode["Engines"]) or None)
        if prefill:
            counts.ready_num_prefill, counts.expected_num_prefill = prefill["Ready"], prefill["Expected"]
            fpm.prefill = engines(prefill["Engines"]) or None
        traffic, t = None, step["Traffic"]
        if tick.need_traffic_metrics:
            traffic = core.TrafficObservation(duration_s=tick.traffic_metrics_duration_s, num_req=t["Requests"], isl=t["Input"],
                                              osl=t["Output"], kv_hit_rate=t["HitRate"], accept_length=t["Accepted"])
        found = await planner.tick(tick, core.TickInput(now_s=tick.at_s, traffic=traffic, worker_counts=counts, fpm_observations=fpm))
        tick, said, to = found.next_tick, found.diagnostics, found.scale_to or core.ScalingDecision()

        def of(prefill_value, decode_value):
            return ([prefill_value] if prefill else []) + [decode_value]

        targets = of(to.num_prefill, to.num_decode)
        targets = [pool["Ready"] if n is None else n for n, pool in zip(targets, step["Pools"])]
        answers.append({
            "Targets": targets,
            "Least": of(said.throughput_lower_bound_prefill, said.throughput_lower_bound_decode),
            "PerSecond": of(said.engine_rps_prefill or 0, said.engine_rps_decode or 0),
            "Forecast": [said.predicted_num_req or 0, said.predicted_isl or 0, said.predicted_osl or 0],
            "TTFT": said.estimated_ttft_ms or 0, "ITL": said.estimated_itl_ms or 0,
        })
    return answers


async def main():
    print(json.dumps([await decisions(sequence) for sequence in json.load(sys.stdin)]))


asyncio.run(main())
