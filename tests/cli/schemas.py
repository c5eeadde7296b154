"""The published schemas: every JSON that a test sees the program print is held against its own."""
import functools
import json
import pathlib

import jsonschema

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "schemas"
RESULTS = (0, 4, 5)  # exit codes with a result: 5 where part of the answer could be told


@functools.lru_cache(maxsize=None)
def documents():
    return {path.name: json.loads(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.json")}


@functools.lru_cache(maxsize=None)
def validator(name):
    document = documents()[f"{name}.json"]
    resolver = jsonschema.RefResolver(base_uri=f"{name}.json", referrer=document, store=documents())
    return jsonschema.Draft202012Validator(document, resolver=resolver)


def validate(name, value):
    """Fails with the place of the first fault."""
    fault = jsonschema.exceptions.best_match(validator(name).iter_errors(value))
    if fault:
        place = "/".join(str(step) for step in fault.absolute_path)
        raise AssertionError(f"schemas/{name}.json: at /{place}: {fault.message[:500]}")


def check(result):
    """What a run with --json printed: a result on standard output, or an error as the last line of standard error."""
    words = result.args[:result.args.index("--")] if "--" in result.args else result.args
    if "--json" not in words or {"--help", "-h", "--version"} & set(words):
        return
    has_result = result.code in RESULTS and result.out.startswith("{")
    if has_result and f"{words[0]}.json" in documents():
        validate(words[0], json.loads(result.out))
    if result.code in (1, 2, 3, 5) or (result.code == 4 and not result.out):
        told = json.loads(result.err.rstrip("\n").split("\n")[-1])
        validate("error", told)
        assert told["error"]["exit"] == result.code, told
