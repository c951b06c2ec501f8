"""GPU probes: functions that run alone in a process of their own, and the reader of GPU state.

Each probe takes keyword arguments and returns one JSON-able dict. It may crash its CUDA context or hang;
its parent stage puts a time limit on it and reads what is left.
"""
