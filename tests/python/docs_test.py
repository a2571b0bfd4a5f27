"""Python code in the documents parses and names existing parts of plr."""

import ast
import pathlib
import re

import plr
import plr.trainer
import pytest

ROOT = pathlib.Path(__file__).parents[2]
#: Folders of builds are not entered: other tests remove files there at the same time.
TOPS = [top for top in sorted(ROOT.iterdir())
        if not top.name.startswith(("third_party", "tests", "CHANGELOG", "build", "runs", "."))]
DOCUMENTS = [path for top in TOPS for path in (sorted(top.rglob("*.md")) if top.is_dir() else [top])
             if path.suffix == ".md"]


def code_blocks():
    for path in DOCUMENTS:
        for block in re.findall(r"^```python\n(.*?)^```", path.read_text(), re.M | re.S):
            yield path, block


def names(node):
    """plr.a.b as ["a", "b"], for every such expression."""
    for part in ast.walk(node):
        words = []
        while isinstance(part, ast.Attribute):
            words.insert(0, part.attr)
            part = part.value
        if words and isinstance(part, ast.Name) and part.id == "plr":
            yield words


def assert_exists(words, where):
    needed = {"torch": "torch", "sb3": "stable_baselines3"}.get(words[0])
    if needed is not None:
        pytest.importorskip(needed)
    value = plr
    for word in words:
        assert hasattr(value, word), f"{where}: plr.{'.'.join(words)} does not exist"
        value = getattr(value, word)


def test_blocks_parse_and_their_names_exist():
    blocks = list(code_blocks())
    assert len(blocks) >= 5
    for path, block in blocks:
        for words in names(ast.parse(block)):
            assert_exists(words, path)


def test_inline_names_exist():
    for path in DOCUMENTS:
        prose = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S)
        for code in re.findall(r"`(plr\.[A-Za-z_][\w.]*)", prose):
            words = code.removeprefix("plr.").rstrip(".").split(".")
            if words[-1] not in ("py", "toml"):
                assert_exists(words, path)
