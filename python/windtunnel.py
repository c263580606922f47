# SPDX-License-Identifier: Apache-2.0
"""Asks Windtunnel about policies: a server, or else the command.

WINDTUNNEL_URL names a server, such as http://127.0.0.1:8080. Without it, the command
that WINDTUNNEL names (default: windtunnel) runs once for each example. WINDTUNNEL_SUMMARY
is how answers say what went wrong (default: issue_focused). WINDTUNNEL_TOKEN_FILE has the
bearer token of a server on a cluster, and WINDTUNNEL_CA_FILE the certificate that signs it.
"""

import json
import os
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request


class Failure(Exception):
    """There is no answer, and the policy is not the reason."""


class Late(Exception):
    """There is no answer in time."""


def ask(policy, language, examples, seconds):
    """Returns the answers for a policy, one for each example {"scenario", "seed"}."""
    end = time.monotonic() + seconds
    url = os.environ.get("WINDTUNNEL_URL")
    if url:
        body = {"policy": policy, "language": language, "examples": examples, "summary": _summary()}
        return _post(url + "/v1/evaluate_examples", body, seconds)
    ending = {"bundle": ".json", "starlark": ".star"}[language]
    with tempfile.NamedTemporaryFile("w", suffix=ending, encoding="utf-8") as file:
        file.write(policy)
        file.flush()
        return [_run(file.name, example, end - time.monotonic()) for example in examples]


def late(example):
    """The answer for an example that has none in time."""
    message = "the evaluation took too long"
    error = {"stage": "run", "kind": "deadline", "component": "", "message": message, "line": 0}
    return {**example, "ok": False, "error": error, "combined_score": 0.0, "scores": {},
            "features": {}, "summary_text": "", "components": {}}


def feedback(answer):
    """What a language model should know of an answer."""
    error = answer["error"]
    if error:
        return "{component} {kind} fault at stage {stage}, line {line}: {message}".format(**error).strip()
    scores = ", ".join(f"{name} {score:.4f}" for name, score in sorted(answer["scores"].items()))
    return "\n".join(filter(None, ["scores from 0 to 1: " + scores, answer["summary_text"]]))


def _summary():
    return os.environ.get("WINDTUNNEL_SUMMARY", "issue_focused")


def _run(policy, example, seconds):
    command = [os.environ.get("WINDTUNNEL", "windtunnel"), "evaluate", "-o", "json",
               "--summary", _summary(), "--policy", policy, "--scenario", example["scenario"], "--seed", str(example["seed"])]
    try:
        done = subprocess.run(command, capture_output=True, timeout=max(0.0, seconds), check=True)
    except subprocess.TimeoutExpired as e:
        raise Late() from e
    except subprocess.CalledProcessError as e:
        raise Failure(e.stderr.decode("utf-8", "replace").strip()) from e
    except OSError as e:
        raise Failure(f"{command[0]}: {e}") from e
    return json.loads(done.stdout)


def _post(url, body, seconds):
    headers = {"Content-Type": "application/json"}
    token = os.environ.get("WINDTUNNEL_TOKEN_FILE")
    if token:  # read each time: the cluster replaces it
        with open(token, encoding="utf-8") as file:
            headers["Authorization"] = "Bearer " + file.read().strip()
    ca = os.environ.get("WINDTUNNEL_CA_FILE")
    context = ssl.create_default_context(cafile=ca) if ca else None
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=seconds, context=context) as response:
            return json.load(response)
    except urllib.error.HTTPError as e:
        raise Failure(f"status {e.code}: {e.read().decode('utf-8', 'replace').strip()}") from e
    except TimeoutError as e:
        raise Late() from e
    except OSError as e:
        raise Failure(f"{url}: {e}") from e
