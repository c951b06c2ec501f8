"""Probes that run in a Python process of their own, so that a hang or crash there is only a finding here."""
