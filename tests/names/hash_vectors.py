"""Hashes that kustomize gives to objects, for tests of our own hash."""

import json
from pathlib import Path
from typing import NamedTuple


class Vector(NamedTuple):
    """A ConfigMap or Secret without metadata, its hash, and what the example shows."""

    source: str
    hash: str
    says: str


def _recorded() -> list[Vector]:
    file = Path(__file__).parent.parent / "data" / "kustomize_hash_vectors.json"
    vectors = json.loads(file.read_text("utf-8"))["vectors"]
    return [Vector(row["input_yaml"], row["expected_hash"], row["desc"]) for row in vectors]


def _config_map(body: str, name: str, says: str) -> Vector:
    return Vector(f"apiVersion: v1\nkind: ConfigMap\n{body}\n", name, says)


def _secret(body: str, name: str, says: str) -> Vector:
    return Vector(f"apiVersion: v1\nkind: Secret\n{body}\n", name, says)


RECORDED = _recorded()

# From kustomize 5.8.2.
OBSERVED = [
    _config_map("data: {a: 8080, b: -7, c: +1}", "2g5m7k6t65", "whole numbers, signed or not"),
    _config_map(
        "data: {a: 0777, b: 0o17, c: 0x1F, d: 0b101}",
        "t9k95bk6b5",
        "octal, hexadecimal and binary numbers",
    ),
    _config_map("data: {a: 1_000, b: 0x_ff, c: 1__0}", "7kg28b9669", "underscores between digits"),
    _config_map(
        "data: {a: 0b-101, b: 0o+17}", "ktkdg729hg", "numbers with a sign behind the prefix"
    ),
    _config_map(
        "data: {a: 089, b: 00, c: -0, d: -0.0}", "2kgbfk4ckb", "leading zeros and negative zeros"
    ),
    _config_map(
        "data: {a: 9223372036854775807, b: 9223372036854775808, c: 18446744073709551616}",
        "4cbk78hmf8",
        "numbers around 64 bits",
    ),
    _config_map(
        "data: {a: 0xFFFFFFFFFFFFFFFF, b: 0x1FFFFFFFFFFFFFFFF}",
        "7g62df5bg2",
        "hexadecimal beyond 64 bits is text",
    ),
    _config_map(
        "data: {a: .5, b: 1., c: 1.50, d: 6.02e23, e: 1e-7, f: 1e-6}",
        "c4757bh6bg",
        "floats of every form",
    ),
    _config_map(
        "data: {a: .1_0, b: ._1, c: .5e400, d: 1e400}",
        "mk5cm8hbf7",
        "a float that is too large is text",
    ),
    _config_map(
        "data: {a: 0x1p-2, b: inf, c: nan, d: .5.5, e: '.'}",
        "98k2hdk4m6",
        "what only looks like a float",
    ),
    _config_map(
        "data: {a: yes, b: No, c: on, d: OFF, e: y, f: N, g: tRUE}",
        "bd9f7486kk",
        "YAML 1.1's booleans are text",
    ),
    _config_map(
        "data: {a: true, b: True, c: TRUE, d: false}", "6hg66ff7hb", "YAML 1.2's booleans are not"
    ),
    _config_map(
        "data:\n  a: ~\n  b: null\n  c: Null\n  d:", "6khb5t7dh8", "null, spelt out or blank"
    ),
    _config_map("data: {a: ~, b: }", "62gh9ch28d", "a blank in braces is text"),
    _config_map(
        "data: {a: '~', b: \"null\", c: 'true', d: \"5\", e: ''}",
        "t86dgdd6t2",
        "quoted, all of them are text",
    ),
    _config_map("data: {a: 2020-01-02, b: 2020-1-2}", "97kh9ghktg", "dates, with one digit or two"),
    _config_map(
        "data:\n  a: 2020-01-02T03:04:05Z\n  b: 2020-01-02t3:4:5.1200+02:30\n  c: 2020-01-02 03:04:05",
        "dtctfgb9cf",
        "times, with a fraction, with a zone",
    ),
    _config_map(
        "data: {a: 2020-02-30, b: 2020-01-02T03:04:05, c: 12:30:45, d: 20-01-02}",
        "gk77f27884",
        "what only looks like a date or a time",
    ),
    _config_map(
        "data: {a: !!str 5, b: !!int '5', c: !!float 5, d: !foo 5, e: !!null ''}",
        "2kmtc9kccb",
        "explicit tags",
    ),
    _config_map(
        "data: {a: !!binary aGVsbG8=, b: !!binary /+I=}", "m6gh9h9946", "binary, UTF-8 or not"
    ),
    _config_map("data: {a: = , b: <<, c: '@x'}", "92d7bf7cb5", "signs that mean something to YAML"),
    _config_map(
        "data:\n  a: |\n    x\n\n    y\n  b: |+\n    z\n\n  c: >-\n    one\n    two",
        "f6d8gmd6t8",
        "block scalars",
    ),
    _config_map(
        "data: {b: 1, a: 2, B: 3, é: 4, '😀': 5}", "4d7dtf84gc", "keys in the order of their bytes"
    ),
    _config_map(
        "data: {a: {c: [1, ~, x], b: {}}, d: []}", "cc5f5mht69", "lists and mappings inside"
    ),
    _config_map(
        "x-base: &base {a: x, b: y}\ndata: {<<: *base, b: own}", "26mgh94g98", "merged fields"
    ),
    _config_map("data: &d {a: b}\nbinaryData: *d", "8h925d5b6c", "an alias"),
    _config_map("data: {a: b, '<<': x}", "4h2mbtbbt6", "a quoted merge key is dropped"),
    _config_map("", "6ct58987ht", "no data at all"),
    _config_map("data: [a, b]", "dk855m5d49", "data that is a list"),
    _config_map("data: 5", "k96ckh9tdm", "data that is a scalar"),
    _config_map("data: {a: b}\nbinaryData: []", "7tfgmmmf4f", "binaryData that is a list"),
    _config_map(
        "data: {a: b}\nbinaryData: x",
        "4h2mbtbbt6",
        "binaryData that is a scalar is as good as none",
    ),
    _secret("data: {a: YQ==}", "7t77h4kbkt", "a Secret without a type"),
    _secret("type: Opaque\ndata: {a: YQ==}", "hbc28hm2g8", "a Secret with a type"),
    _secret("type: 5\ndata: {a: YQ==}", "k9t8gdb7b7", "a type that is no text"),
    _secret("type: Opaque\nstringData: {a: b}", "925dbhhk98", "stringData alone"),
    _secret("type: Opaque\ndata: {a: YQ==}\nstringData: {}", "845dk6g97k", "empty stringData"),
    _secret(
        "type: Opaque\ndata: {a: YQ==}\nstringData: null",
        "hbc28hm2g8",
        "null stringData is as good as none",
    ),
    _secret("type: Opaque\ndata:\n  a: |\n    YWJj\n    ZGVm", "g9k9tfg9fg", "wrapped base64"),
]
