"""scikit-learn's own checks of its conventions."""
import re

import pytest

pytest.importorskip("sklearn")
from sklearn.utils import estimator_checks

import scant

ONES_CHECK = "check_classifiers_classes"
# The checks that scant fails on purpose, and why.
ONES = "labels that are only -1 and 1 are refused: -1 may mean unknown. missing_label='none' says that it is a class, and " \
    "then the check passes"
FOUR = "16 rows at four places: two normals fit four places with spreads of 0, and which starts come to anything is chance"
ORDER = "the check shuffles the rows, and folds go by their order; rows of weight 0 that leave it as it is change nothing " \
    "(test_stack.py)"
REFUSED = {
    "Classifier": {
        ONES_CHECK: (ONES, "missing_label='none'"),
        "check_sample_weights_invariance": (ORDER, "a zero sample_weight is not equivalent"),
    },
    "MixtureClassifier": {ONES_CHECK: (ONES, "missing_label='none'")},
    "MEDClassifier": {ONES_CHECK: (ONES, "missing_label='none'")},
    "BlindClassifier": {
        ONES_CHECK: (ONES, "missing_label='none'"),
        "check_sample_weights_not_overwritten": (FOUR, "none of 20 starts"),
        "check_sample_weights_invariance": (FOUR, "a zero sample_weight is not equivalent|none of 20 starts"),
    },
}
CHANCE = {FOUR}  # reasons that rounding decides about: such a check passes on one machine and not on another
# Estimators to which no check applies, and why.
ELSEWHERE = {
    "VoteAudit": "takes answers, which are names or whole numbers, where the checks give it measurements",
    "NumberAudit": "audits many predictions of one number, which the checks' features are not",
    "HMM": "has hmmlearn's calls, in which lengths stand where the checks give y",
    "LabelPlan": "plans for a classifier; the rows of the checks are too few to plan from, and it predicts nothing",
}
ESTIMATORS = [scant.Classifier(threads=1), scant.Classifier(missing_label="none", threads=1), scant.GaussianMixture(),
              scant.MixtureClassifier(), scant.MixtureClassifier(missing_label="none"), scant.MixtureSelector(),
              scant.MEDClassifier(c=5, threads=1), scant.MEDClassifier(c=3, missing_label="none", folds=0, threads=1), scant.MEDRegressor(c=3, folds=0, threads=1),
              scant.BlindClassifier(prior=0.3, threads=1), scant.NonnegativeCP(rank=1, threads=1)]


def test_every_estimator_is_checked_or_has_a_reason():
    estimators = {name for name, thing in vars(scant).items() if isinstance(thing, type) and hasattr(thing, "get_params")}
    assert estimators == {type(one).__name__ for one in ESTIMATORS} | set(ELSEWHERE)


def cases():
    """Every check as a case of its own, so that one that fails hides no other; newer releases call the list otherwise."""
    listed = getattr(estimator_checks, "estimator_checks_generator",
                     lambda e: estimator_checks.check_estimator(e, generate_only=True))
    for estimator in ESTIMATORS:
        for one, check in listed(estimator):
            yield pytest.param(one, check, id=f"{estimator}-{getattr(check, 'func', check).__name__}")


def refused(estimator, check):
    if getattr(estimator, "missing_label", None) == "none" and getattr(check, "func", check).__name__ == ONES_CHECK:
        return None
    if getattr(check, "keywords", {}).get("kind") == "ones":  # of weights; it is those of 0 that fail
        return None
    return REFUSED.get(type(estimator).__name__, {}).get(getattr(check, "func", check).__name__)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.filterwarnings("error::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("estimator, check", cases())
def test_conventions(estimator, check):
    reason, message = refused(estimator, check) or (None, None)
    if not reason:
        check(estimator)
        return
    try:
        check(estimator)
    except (ValueError, AssertionError) as error:
        assert re.search(message, str(error)), error
    else:
        assert reason in CHANCE
