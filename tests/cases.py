"""The folders of fixtures, found and not listed."""

from pathlib import Path

FIXTURES = Path(__file__).parent.parent / "fixtures"
TRANSFORMS = sorted(path.parent for path in FIXTURES.glob("transforms/*/input.yaml"))
REJECTIONS = sorted(path.parent for path in FIXTURES.glob("rejections/*/input.yaml"))
MIGRATIONS = sorted(path.parent for path in FIXTURES.glob("migrations/*/deployed.yaml"))
MIGRATION_STEPS = [case / step for case in MIGRATIONS for step in ("step-1", "step-2")]
