"""Private words stay out of the code: readers know the field's."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
BANNED = re.compile(r"(?<![a-z])(foretells?|foretold|outlooks?|mend|mended|lent|fallen|favoured|sureness|leaps?|leapt|magnified|standby|"
                    r"fading|put_off)(?![a-z])|_by_[48]\b|(?-i:scant_i_own_)", re.I)


def test_no_banned_word():
    found = [f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
             for folder in ("src", "include", "cli") for path in sorted((ROOT / folder).rglob("*.[ch]"))
             for number, line in enumerate(path.read_text().splitlines(), 1) if BANNED.search(line)]
    assert not found, "\n".join(found)


def test_the_words_are_found():
    """The expression finds each of them, and no word that only has one within."""
    for word in ("Foretold", "outlook", "it leapt", "lent", "dense_is_lent", "x_by_4", "scant_i_own_family", "put_off"):
        assert BANNED.search(word), word
    for word in ("equivalent", "amend", "recommended", "talent", "excellent", "silently"):
        assert not BANNED.search(word), word
