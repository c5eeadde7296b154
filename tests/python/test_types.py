"""Guesses of what columns are, and the order of items in votes."""
import numpy as np
import pytest

import scant


def test_types_of_a_file_and_of_a_frame(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("id;price;when;who;y\n" + "".join(f"{k};{k},5;{1 + k}.02.2024;{'ab'[k % 2]};{k % 2}\n" for k in range(20)))
    found = {one["name"]: one for one in scant.guess_types(path)}
    assert [found[name]["kind"] for name in ("id", "price", "when", "who", "y")] == [
        "identifier", "number", "date", "category", "0/1"]
    assert found["price"]["option"] == "price=number:comma" and found["price"]["max"] == 19.5
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": np.linspace(0, 1, 9), "c": list("abcabcabc")})
    assert [one["kind"] for one in scant.guess_types(frame)] == ["number", "category"]


@pytest.mark.parametrize("said, message", [({"decimal": "x"}, "^decimal: 'x' is neither"), ({"separator": "e"}, "'e' cannot be"),
                                           ({"missing_values": [""]}, "^missing_value: piece 1 of 1 is empty")])
def test_what_reading_may_not_be(tmp_path, said, message):
    path = tmp_path / "d.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(scant.ArgumentError, match=message):
        scant.guess_types(path, **said)


def test_votes_keep_the_order_of_their_items():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(2)
    items = [f"t{k}" for k in rng.permutation(60)]
    said = [(item, f"w{w}", "no yes".split()[(int(item[1:]) % 2) ^ (rng.random() < .2)]) for item in items for w in range(5)]
    votes = pandas.DataFrame(said, columns=["task", "worker", "label"])
    audit = scant.VoteAudit(prior={"no": .5, "yes": .5}).fit(votes)  # a long table by its header
    assert list(audit.items_) == items
    answers, told = audit.predict(votes, return_items=True)
    assert list(told) == items
    truth = np.array(["no yes".split()[int(item[1:]) % 2] for item in items])
    assert np.mean(answers == truth) > .8
