"""Records tests/golden/stats/rliable.jsonl.gz: performance profiles and probabilities of improvement by rliable.

    pip install rliable==1.2.0 "pandas<3" && python tests/oracle/record_rliable.py
"""

import gzip
import json
import pathlib

import numpy
from rliable import library, metrics

NUM_RESAMPLES = 20_000
THRESHOLDS = [-0.2, 0.0, 0.1, 0.25, 0.5, 0.5000001, 0.75, 0.9, 1.0, 1.2]


def record(name, x, y):
    """`x` and `y` are scores [run, task] of two methods."""
    profiles, profile_intervals = library.create_performance_profile(
        {"x": x}, numpy.array(THRESHOLDS), reps=NUM_RESAMPLES)
    improvements, improvement_intervals = library.get_interval_estimates(
        {"x,y": (x, y)}, metrics.probability_of_improvement, reps=NUM_RESAMPLES)
    iqms, iqm_intervals = library.get_interval_estimates(
        {"x": x}, lambda scores: numpy.array([metrics.aggregate_iqm(scores)]), reps=NUM_RESAMPLES)
    return {"case": name, "x": x.T.tolist(), "y": y.T.tolist(),  # [task][run], as in the program
            "thresholds": THRESHOLDS, "profile": profiles["x"].tolist(),
            "profile_low": profile_intervals["x"][0].tolist(),
            "profile_high": profile_intervals["x"][1].tolist(),
            "improvement": float(improvements["x,y"]),
            "improvement_interval": improvement_intervals["x,y"].ravel().tolist(),
            "iqm": float(iqms["x"][0]), "iqm_interval": iqm_intervals["x"].ravel().tolist()}


def main():
    draw = numpy.random.RandomState(26)
    lines = [
        record("ten runs of four tasks", draw.normal(0.6, 0.2, (10, 4)), draw.normal(0.5, 0.2, (10, 4))),
        record("one task", draw.uniform(0, 1, (8, 1)), draw.uniform(0, 1, (8, 1))),
        record("different numbers of runs", draw.normal(0.4, 0.3, (5, 3)), draw.normal(0.4, 0.3, (12, 3))),
        record("ties", draw.randint(0, 5, (6, 5)) / 4, draw.randint(0, 5, (6, 5)) / 4),
    ]
    path = pathlib.Path(__file__).parents[1] / "golden/stats/rliable.jsonl.gz"
    text = "".join(json.dumps(line) + "\n" for line in lines)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main()
