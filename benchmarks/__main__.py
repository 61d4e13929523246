"""Run every benchmark, or those named: `python -m benchmarks startup fill`."""

import sys
from importlib import import_module

NAMES = (
    "startup",
    "demo",
    "fill",
    "fanout",
    "recorded",
    "day",
    "site",
    "tape",
    "poll",
    "order_words",
    "calibration",
    "resampling",
    "score",
    "overview",
    "insights",
    "claims",
    "coverage",
    "separation",
    "sweep",
    "charts",
    "first_view",
)

if unknown := [name for name in sys.argv[1:] if name not in NAMES]:
    sys.exit(f"no benchmark {', '.join(unknown)}; those that there are: {', '.join(NAMES)}")
for name in sys.argv[1:] or NAMES:
    print(f"== {name}", flush=True)
    import_module(f"benchmarks.{name}").main()
