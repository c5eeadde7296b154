"""Fitted mixtures: looking inside, predicting, drawing, keeping. Model files are those of the command line."""
import ctypes
import json
import os
import tempfile

import numpy as np

from . import _abi, _labels
from ._library import Handle, call, encoded, encoded_path, library, option_text, preset, safe_threads, text, texts
from ._rows import RowsHandle, Table


def fields(struct):
    """A struct of numbers as a dict."""
    return {name: getattr(struct, name) for name, *_ in struct._fields_}


def array_of(pointer, shape):
    """A copy of numbers that the library lends."""
    borrowed = ctypes.cast(pointer, ctypes.POINTER(ctypes.c_double))
    return np.ctypeslib.as_array(borrowed, (int(np.prod(shape, dtype=np.intp)),)).reshape(shape).copy()


def written(write):
    """The bytes that write(path) puts into a file: the library writes files, whole or not at all."""
    with tempfile.TemporaryDirectory(prefix="scant-") as folder:
        path = os.path.join(folder, "model.json")
        write(path)
        with open(path, "rb") as file:
            return file.read()


def read_back(read, content):
    """read(path) of a file with these bytes."""
    with tempfile.TemporaryDirectory(prefix="scant-") as folder:
        path = os.path.join(folder, "model.json")
        with open(path, "wb") as file:
            file.write(content)
        return read(path)


class Model(Handle):
    """A fitted mixture. Immutable, but for `inform`; threads may share one."""

    FREE = "scant_model_free"

    # --- keeping ---

    @classmethod
    def load(cls, path):
        """Reads a model file; one that cannot be opened is an OSError as of any other file."""
        with open(path, "rb"):
            pass
        return cls.made_by("scant_model_read", encoded_path(path))

    def save(self, path):
        call("scant_model_write", self, encoded_path(path))

    @classmethod
    def from_dict(cls, document):
        """A model file's content (docs/model-file.md)."""
        return read_back(cls.load, json.dumps(document).encode())

    def to_dict(self):
        return json.loads(written(self.save))

    def __reduce__(self):
        return read_back, (Model.load, written(self.save))

    # --- what it is ---

    @property
    def components(self):
        return library.scant_model_components(self)

    @property
    def classes(self):
        """Class names; none for a plain mixture."""
        return [text(library.scant_model_class_name(self, k))
                for k in range(library.scant_model_classes(self))]

    @property
    def columns(self):
        return [text(library.scant_model_column_name(self, c))
                for c in range(library.scant_model_columns(self))]

    @property
    def expected(self):
        """Names of the columns that rows must have: those above, unless components see a score of them."""
        schema = library.scant_model_schema(self).contents
        return [text(name) for name in schema.names[:schema.ncolumns]]

    @property
    def levels(self):
        """{column: names of its levels} of the columns that are categories."""
        schema = library.scant_model_schema(self).contents
        if not schema.levels:
            return {}
        counts = ctypes.cast(schema.nlevels, ctypes.POINTER(ctypes.c_size_t))
        return {c: [text(schema.levels[c][l]) for l in range(counts[c])]
                for c in range(schema.ncolumns) if schema.levels[c]}

    @property
    def summary(self):
        """How the fit went; `stop` is one of converged, iterations, time, interrupted,
        separable."""
        found = fields(library.scant_model_summary(self).contents)
        found["stop"] = text(library.scant_stop_name(found["stop"]))
        return found

    def _by_class(self, function, width):
        return np.array([[function(self, j, k) for k in range(width)] for j in range(self.components)])

    @property
    def coupling(self):
        """P(component, class), M x K; without classes the components' weights, M x 1."""
        return self._by_class(library.scant_model_coupling, max(len(self.classes), 1))

    @property
    def start_probabilities(self):
        """Of a chain: P(a sequence begins in the state); else empty."""
        return np.array([library.scant_model_start(self, j) for j in range(library.scant_model_states(self))])

    @property
    def transitions(self):
        """Of a chain: P(next state | state), a line a state; else empty."""
        states = range(library.scant_model_states(self))
        return np.array([[library.scant_model_transition(self, i, j) for j in states] for i in states])

    @property
    def component_weights(self):
        """P(component), what unlabelled rows have included."""
        return np.array([library.scant_model_component_weight(self, j) for j in range(self.components)])

    @property
    def unlabeled(self):
        """P(unlabeled | component) where unlabelled rows are a class of their own, else None."""
        found = np.array([library.scant_model_component_unlabeled(self, j) for j in range(self.components)])
        return None if np.isnan(found).any() else found

    @property
    def composition(self):
        """Weight of labelled rows a class, and of unlabelled ones, that fall to each component: M x (K + 1)."""
        return self._by_class(library.scant_model_component_composition, len(self.classes) + 1)

    @property
    def score(self):
        """Of a linear classifier (`scant blind`): weights of the columns, offset, slope and what the training rows say of
        it; None for other models."""
        found = library.scant_model_score(self)
        if not found:
            return None
        found = fields(found.contents)
        return {**found, "weight": array_of(found["weight"], found["count"])}

    @property
    def trace(self):
        count = ctypes.c_size_t()
        values = library.scant_model_trace(self, ctypes.byref(count))
        return np.array(values[:count.value])

    @property
    def warnings(self):
        return [text(library.scant_model_warning(self, i))
                for i in range(library.scant_model_warnings(self))]

    def setting(self, name):
        return text(library.scant_model_setting(self, encoded(name.replace("_", "-"))))

    def factors(self):
        """Families over columns: [(family, columns, {parameter: array}, {parameter: standard errors or None})]."""
        found = []
        for f in range(library.scant_model_factors(self)):
            columns = [library.scant_model_factor_column(self, f, c)
                       for c in range(library.scant_model_factor_columns(self, f))]
            parameters, errors, view = {}, {}, _abi.scant_parameter_view()
            while library.scant_model_parameter(self, f, len(parameters), ctypes.byref(view)):
                error = library.scant_model_parameter_errors(self, f, len(parameters))
                shape, name = tuple(view.dim[:view.ndim]), text(view.name)
                parameters[name] = array_of(view.value, shape)
                errors[name] = array_of(error, shape) if error else None
            found.append((text(library.scant_model_factor_family(self, f)), columns, parameters, errors))
        return found

    # --- how sure it is ---

    def inform(self, rows, threads=0):
        """Adds standard errors, from the rows that the model was fitted to."""
        call("scant_model_inform", self, rows, safe_threads(threads))
        return self.information

    @property
    def information(self):
        """Missing information and EM's rate; None before `inform`."""
        found = library.scant_model_information(self)
        if not found:
            return None
        told = fields(found.contents)
        return {**told, "by": text(library.scant_errors_by_name(told["by"]))}

    @property
    def coupling_errors(self):
        return self._by_class(library.scant_model_coupling_error, max(len(self.classes), 1))

    @property
    def headline(self):
        """Of a stack (`scant train`): what it expects of itself, its members and rows worth a label; None for others."""
        found = library.scant_model_headline(self)
        if not found:
            return None
        told = fields(found.contents)
        names, weights = told.pop("name"), told.pop("weight")
        count, asks = told["members"], told.pop("asks")
        rows = ctypes.cast(told.pop("ask"), ctypes.POINTER(ctypes.c_size_t))
        told["members"] = list(zip(map(text, names[:count]), array_of(weights, count).tolist() if count else ()))
        told["accuracy_interval"] = (told.pop("low"), told.pop("high"))
        told["baselines"] = {name: told.pop(name) for name in ("majority", "labeled_only", "logistic")}
        told["next_rows"] = np.array(rows[:asks], dtype=np.intp)
        return told

    # --- what it says of rows ---

    def _options(self, prior=None, replace=False, unlabeled_smoothing=None, use_labels=False, threads=0, decode=None):
        """The struct of a prediction; `prior` is an array of class shares, `decode` is of chains."""
        struct = preset("predict", replace=replace, use_labels=use_labels, threads=safe_threads(threads))
        struct.decode = decode.encode() if decode else None
        struct.kept = {name: np.ascontiguousarray(value, dtype=np.float64)
                       for name, value in (("prior", prior), ("unlabeled_smoothing", unlabeled_smoothing)) if value is not None}
        for name, value in struct.kept.items():
            setattr(struct, name, value.ctypes.data)
        return struct

    def shares(self, said):
        """Class shares from a dict, a text as the command line takes it, or an array."""
        if said is None:
            return said
        names, shares = self.classes, np.empty(len(self.classes))
        if np.ndim(said) == 1:
            if len(said) != len(names):
                raise ValueError(f"prior: {len(said)} shares for {len(names)} classes")
            said = dict(zip(names, map(float, said)))
        call("scant_prior_read", shares.ctypes.data, encoded(option_text(said)), texts(names), len(names))
        return shares

    def predict(self, rows, *wanted, **options):
        """The answers asked for, in that order: "classes" (n x K), "components" (n x M), "support", "loglik" (n)."""
        n = rows.shape[0]
        shapes = {"classes": (n, len(self.classes)), "components": (n, self.components), "support": n, "loglik": n}
        answers = {name: np.empty(shapes[name]) for name in wanted}
        addresses = [answers[name].ctypes.data if name in answers else None for name in shapes]
        call("scant_model_predict", self, rows, ctypes.byref(self._options(**options)), *addresses)
        return answers[wanted[0]] if len(wanted) == 1 else tuple(answers[name] for name in wanted)

    def predict_target(self, rows, **options):
        """Of a regression: the expected target of each row."""
        target = np.empty(rows.shape[0])
        call("scant_model_predict_target", self, rows, ctypes.byref(self._options(**options)),
             target.ctypes.data)
        return target

    def evaluate(self, rows, **options):
        """Accuracy, log-loss, Brier score, calibration error and confusion on rows whose labels are known."""
        out = _abi.scant_evaluation()
        call("scant_model_evaluate", ctypes.byref(out), self, rows,
             ctypes.byref(self._options(**options)))
        found = fields(out)
        found["confusion"] = array_of(out.confusion, (out.classes, out.classes)) if out.confusion else None
        found["guess"] = self._guess(out)
        library.scant_evaluation_clear(ctypes.byref(out))
        return found

    def _guess(self, evaluation):
        """What always naming the class that most rows are of would do; None where nothing was measured."""
        out = _abi.scant_guess()
        library.scant_guess_by(ctypes.byref(out), evaluation.confusion, evaluation.classes)
        if np.isnan(out.accuracy):
            return None
        found = fields(out)
        return {"class": class_array(self)[found.pop("named")], "accuracy": found["accuracy"], "difference": found["difference"],
                "standard_error": found["error"], "better": found["better"]}

    def sample(self, n, seed=1):
        """n rows drawn: cells (n x columns), components from 0, and class numbers (-1: none)."""
        made = RowsHandle.made_by("scant_model_sample", self, n, seed, True)
        cells = made.values()
        labels = np.array([library.scant_rows_label(made, i) for i in range(n)])
        return np.ascontiguousarray(cells[:, :-1]), cells[:, -1].astype(np.intp) - 1, labels

    def __repr__(self):
        classes = f" for classes {', '.join(self.classes)}" if self.classes else ""
        return f"<scant.Model of {self.components} components over {len(self.columns)} columns{classes}>"


def class_array(model):
    """The classes as labels: numbers where all names are whole numbers."""
    return _labels.from_names(model.classes)


def table_for(model, table):
    """The table under the model's names: what comes without names is in the model's order."""
    if table.sparse:
        return table
    return Table(table.values, model.expected, table.levels)
