"""Files of older schemas, as older versions wrote them (tests/cli/old), are read with today's words."""

import json
import pathlib

import pytest

OLD = pathlib.Path(__file__).parent / "old"


@pytest.mark.parametrize("name, settings", [
    ("em3", {"unlabeled": "em3", "context-mode": "likelihood", "starts": "3"}),
    ("em1", {"unlabeled": "em1", "context-mode": "likelihood", "starts": "2"}),
    ("stream", {"unlabeled": "em2", "context-mode": "posterior", "starts": "1"}),
])
def test_settings_of_schema_1(scant, name, settings):
    assert json.loads((OLD / f"{name}.json").read_text())["schema"] == 1
    shown = scant("show", OLD / f"{name}.json", "--json").json()
    assert {key: shown["settings"][key] for key in settings} == settings
    assert "restarts" not in shown["settings"]
    assert shown.get("unlabeled_smoothing") == (0.1 if name == "em3" else None)


def test_own_class_of_schema_1_predicts(scant, tmp_path):
    """The unlabeled rows' column of the coupling is no class, and its smoothing is the file's."""
    (tmp_path / "rows.csv").write_text("FL,RW\n10,9\n15,13\n20,15\n")
    as_is = scant("predict", OLD / "em3.json", tmp_path / "rows.csv").out
    assert as_is.splitlines()[0] == "label,p_F,p_M,support,loglik"
    assert as_is == scant("predict", OLD / "em3.json", tmp_path / "rows.csv", "--unlabeled-smoothing", 0.1).out


def test_stream_of_schema_1_goes_on(scant, tmp_path):
    rows = "FL,RW,sex\n9,8,M\n12,10,F\n"
    scant("stream", OLD / "em1.json", "--resume", OLD / "stream.json", "--label", "sex", "--save", tmp_path / "now.json", "-q", stdin=rows)
    stream = json.loads((tmp_path / "now.json").read_text())["stream"]
    assert stream["schema"] == 2 and stream["prior_rows"] == 2.5 and stream["context_mode"] == "posterior"
    assert "memory" not in stream
