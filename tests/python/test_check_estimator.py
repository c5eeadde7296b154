"""scikit-learn's own checks of its conventions."""
import pytest

pytest.importorskip("sklearn")
from sklearn.utils import estimator_checks

import scant

# The checks that scant fails on purpose, and why.
REFUSED = {
    "MixtureClassifier": {
        "check_classifiers_classes": "labels that are only -1 and 1 are refused: -1 may mean unknown. "
                                     "missing_label='none' says that it is a class, and then the check passes",
    },
}
ESTIMATORS = [scant.GaussianMixture(), scant.MixtureClassifier(), scant.MixtureClassifier(missing_label="none"),
              scant.MixtureSelector()]


def cases():
    """Every check as a case of its own, so that one that fails hides no other; newer releases call the list otherwise."""
    listed = getattr(estimator_checks, "estimator_checks_generator",
                     lambda e: estimator_checks.check_estimator(e, generate_only=True))
    for estimator in ESTIMATORS:
        for one, check in listed(estimator):
            yield pytest.param(one, check, id=f"{estimator}-{getattr(check, 'func', check).__name__}")


def refused(estimator, check):
    if getattr(estimator, "missing_label", None) == "none":
        return None
    return REFUSED.get(type(estimator).__name__, {}).get(getattr(check, "func", check).__name__)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.filterwarnings("error::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("estimator, check", cases())
def test_conventions(estimator, check):
    if refused(estimator, check):
        with pytest.raises(ValueError, match="missing_label='none'"):
            check(estimator)
    else:
        check(estimator)
