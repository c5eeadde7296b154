"""Parameters of estimators from the library's tables of options: one source for signatures, defaults and help."""
import inspect
import numbers
import textwrap

from ._library import option_table

# Parameters that are no options of the library's: {name: (default, help)}.
OWN = {
    "types": (None, "what columns of a frame are, {column: kind}, where the guess is wrong (docs/types.md); 'none': guess "
              "nothing, all columns are numbers or categories as they come"),
    "missing_value": (None, "cells of a frame that are missing, with the usual ones: a value or a list"),
    "missing_label": ("auto", "label that means unknown, with None, NaN and NA; auto: -1 among non-negative integers; "
                      "none: no other"),
    "warm_start": (False, "start from the model of the last fit"),
    "verbose": (0, "above 0: a line of progress on standard error"),
    "callback": (None, "called with a scant.Event at every iteration; a true result ends the fit, which keeps its best "
                 "model so far"),
}
OF_FRAMES = ("types", "missing_value")  # of estimators that guess what columns are
SHARED = tuple(name for name in OWN if name not in OF_FRAMES)
# Options that scikit-learn knows by another name; every other is called as it is there.
NAMES = {"seed": "random_state"}
SEED = (None, "seed, or a generator to draw one from; None is 1, so that fits repeat")


def seed_of(random_state):
    """A seed from a number or a generator."""
    if random_state is None:
        return int(option_table("fit")["seed"].preset)
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    draw = getattr(random_state, "integers", None) or getattr(random_state, "randint", None)
    if draw is None:
        raise TypeError(f"random_state={random_state!r} is neither a whole number nor a generator of random numbers")
    return int(draw(2**31 - 1))


def _told(option):
    """An option's default and help."""
    choices = f": {option.choices.replace('|', ', ')}" if option.choices else ""
    return SEED if option.name == "seed" else (option.default(), option.help + choices)


def _line(name, default, help_):
    said = "" if "(default: " in help_ else f" (default: {default!r})"
    return textwrap.fill(f"{name} : {help_}{said}", 100, initial_indent="    ", subsequent_indent="        ",
                         break_on_hyphens=False)


def _initialiser(parameters):
    """An __init__ that keeps its arguments, by name only, under the names of the parameters."""
    signature = inspect.Signature([inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)] + [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        for name, (default, _) in parameters.items()])

    def __init__(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        self = bound.arguments.pop("self")
        for name, value in bound.arguments.items():
            setattr(self, name, value)

    __init__.__signature__ = signature
    return __init__


def parameters_from(*kinds, without=(), shared=SHARED, **own):
    """Decorates an estimator: its parameters are `own`, {name: (default, help)}, the options of the tables `kinds` that are
    not in `without`, and those of OWN that are `shared`. The class gets an __init__ with their signature, a docstring that
    tells them, and OPTIONS, {kind: {parameter: option}}. An option that several tables have is the first one's.
    """
    def decorate(cls):
        parameters, cls.OPTIONS = dict(own), {}
        for kind in kinds:
            taken = {NAMES.get(name, name): option for name, option in option_table(kind).items()
                     if name not in without and name not in parameters}
            cls.OPTIONS[kind] = {name: option.name for name, option in taken.items()}
            parameters.update({name: _told(option) for name, option in taken.items()})
        parameters.update({name: OWN[name] for name in shared})
        cls.__init__ = _initialiser(parameters)
        cls.__doc__ = "\n".join([inspect.cleandoc(cls.__doc__), "", "Parameters", "----------"] + [
            _line(name, *told) for name, told in parameters.items()])
        return cls

    return decorate
