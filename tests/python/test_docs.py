"""The examples of docs/python.md say what they say."""
import doctest
import warnings

import pytest

from conftest import ROOT

pytest.importorskip("sklearn")
pytest.importorskip("pandas")


def test_examples(tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        failed, tried = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False, encoding="utf-8",
                                         optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0 and tried > 40
