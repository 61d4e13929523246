"""Calls to models as logs of Inspect: one for each contestant of a cohort, a sample a call.

Source: `EvalLog`, version 2, https://inspect.aisi.org.uk/eval-logs.html.
"""

import json
from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final

from arena.records.cohort import CohortId
from arena.store.sqlite import Connection, Row

_CALLS: Final = """
SELECT cohort, contestant, round, call, at, llm, model, provider, finish, trouble, detail,
    words_of(system_digest) AS system, words_of(shared_digest) || words_of(own_digest) AS user,
    words_of(text_digest) AS reply, tokens_in, tokens_cached, tokens_out, tokens_reasoning,
    cost_micro, latency_ms
FROM tape_calls WHERE ? IS NULL OR cohort = ? ORDER BY cohort, contestant, round, rowid
"""
# Providers' own words on why a reply ended, as Inspect has them.
_STOPS: Final = {
    **dict.fromkeys(("stop", "end_turn", "stop_sequence", "completed"), "stop"),
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens"), "max_tokens"),
    **dict.fromkeys(("content_filter", "safety", "refusal"), "content_filter"),
}


def inspect_logs(db: Connection, cohort: CohortId | None) -> Iterator[tuple[str, str, int]]:
    """Each log: its name, its JSON, and how many calls are in it; of one cohort or of all.

    Only one log is in memory at a time. A reply that never came is an error of its sample.
    """
    with db.in_words():
        calls = db.raw.execute(_CALLS, (cohort, cohort))
        for (name, who), group in groupby(
            calls, key=lambda row: (row["cohort"], row["contestant"])
        ):
            rows = list(group)
            yield f"{name}_{who}", json.dumps(_log(rows), allow_nan=False), len(rows)


def _log(rows: list[Row]) -> dict[str, Any]:
    oldest, newest = rows[0], rows[-1]
    cohort, contestant = newest["cohort"], newest["contestant"]
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "run_id": cohort,
            "created": oldest["at"],
            "task": f"{cohort}/{contestant}",
            "task_id": f"{cohort}/{contestant}",
            "dataset": {"name": cohort, "samples": len(rows)},
            "model": newest["model"] or newest["llm"],
            "config": {},
            "metadata": {"cohort": cohort, "contestant": contestant},
        },
        "results": {
            "total_samples": len(rows),
            "completed_samples": sum(row["trouble"] is None for row in rows),
        },
        "stats": {"started_at": oldest["at"], "completed_at": newest["at"]},
        "samples": [_sample(row) for row in rows],
    }


def _sample(row: Row) -> dict[str, Any]:
    asked = [{"role": role, "content": row[role]} for role in ("system", "user") if row[role]]
    model = row["model"] or row["llm"]
    answer = {"role": "assistant", "content": row["reply"] or "", "model": model}
    output: dict[str, Any] = {"model": model, "choices": [], "time": row["latency_ms"] / 1000}
    sample = {
        "id": f"round {row['round']}, {row['call']}",
        "epoch": 1,
        "input": asked,
        "target": "",
        "messages": asked,
        "output": output,
        "started_at": row["at"],
        "metadata": {"round": row["round"], "call": row["call"], "provider": row["provider"]},
    }
    if row["reply"] is not None:
        stop = _STOPS.get(row["finish"].lower(), "unknown")
        output["choices"] = [{"message": answer, "stop_reason": stop}]
        sample["messages"] = [*asked, answer]
    if row["tokens_in"] is not None and row["tokens_out"] is not None:
        output["usage"] = {
            "input_tokens": row["tokens_in"],
            "output_tokens": row["tokens_out"],
            "total_tokens": row["tokens_in"] + row["tokens_out"],
            "input_tokens_cache_read": row["tokens_cached"],
            "reasoning_tokens": row["tokens_reasoning"],
            "total_cost": None if row["cost_micro"] is None else row["cost_micro"] / 10**6,
        }
        sample["model_usage"] = {model: output["usage"]}
    if row["trouble"] is not None:
        text = f"{row['trouble']}: {row['detail']}"
        sample["error"] = {"message": text, "traceback": "", "traceback_ansi": ""}
    return sample
