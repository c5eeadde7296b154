"""Boston housing with switches, and what sums of sines look like outside of their labels."""
import numpy as np
from sklearn.linear_model import LassoCV, LinearRegression, RidgeCV

from sets import boston, report, scant, splits, standard, summary

EPSILON, C = .2, 5
PAPER = {"least squares": 1.7584, .99999: 1.7529, .1: 1.6894, .001: 1.5377, 1e-5: 1.4808}


def regressor(**settings):
    return scant.MEDRegressor(**{"folds": 0, "threads": 1, "eps": EPSILON, "c": C, "bias_prior": "gaussian", **settings})


def products(x):
    """The columns and all their products."""
    i, j = np.triu_indices(x.shape[1])
    return np.hstack([x, x[:, i] * x[:, j]])


def loss(predicted, y, spread):
    """Mean of what residuals have above epsilon, in the target's standard deviations."""
    return np.maximum(np.abs(predicted - y) / spread - EPSILON, 0).mean()


def housing(say, count):
    say(f"\n## Boston housing with products (Table 4.1, Figure 4.10)\n\n{count} splits of 481 / 25 rows, 13 columns and their 91 products, c = {C}, epsilon = {EPSILON}; losses "
        "in units of the target's standard deviation. The thesis's units are not known, so its losses compare as ratios only.\n")
    x, y = boston()
    found, small = {}, {}
    for a, b in splits(count, len(y), 481, 25, seed=6):
        xa, xb = standard(*map(products, standard(x[a], x[b])))
        spread = y[a].std()
        target = (y[a] - y[a].mean()) / spread
        for rho in (.99999, .1, .001, 1e-5):
            model = regressor(select=rho).fit(xa, y[a])
            found.setdefault(rho, []).append(loss(model.predict(xb), y[b], spread))
            size = np.abs(model.weights_[0])
            small.setdefault(rho, []).append((np.median(size), (size > .01 * size.max()).sum()))
        for key, rival in (("least squares", LinearRegression()), ("ridge", RidgeCV(np.logspace(-2, 4, 25))),
                           ("lasso", LassoCV(cv=5, n_alphas=30, max_iter=20000, tol=1e-3))):
            rival.fit(xa, target)
            found.setdefault(key, []).append(loss(rival.predict(xb) * spread + y[a].mean(), y[b], spread))
    base = np.mean(found[.99999])
    say(report.table(["method", "thesis: loss", "over rho = .99999", "ours: loss", "over rho = .99999", "median weight", "weights above .01 of the largest"], [
        [f"rho {key:g}" if isinstance(key, float) else key, PAPER.get(key, "-"), f"{PAPER[key] / PAPER[.99999]:.3f}" if key in PAPER else "-",
         summary(values, 4), f"{np.mean(values) / base:.3f}", *([f"{np.mean([m for m, _ in small[key]]):.4f}", f"{np.mean([n for _, n in small[key]]):.0f}"]
                                                                 if key in small else ["-", "-"])] for key, values in found.items()]))
    say(f"rho = .001 over rho = .99999: {np.mean(found[.001]) / base:.3f}; over least squares: {np.mean(found[.001]) / np.mean(found['least squares']):.3f}; "
        f"over ridge: {np.mean(found[.001]) / np.mean(found['ridge']):.3f}; over lasso: {np.mean(found[.001]) / np.mean(found['lasso']):.3f}.\n")


def sinc(say, path):
    """sin |x| / |x| by a polynomial of degree 8, clean and noisy."""
    from sklearn.svm import SVR
    say("\n## sin |x| / |x| (Figure 4.4)\n\n100 points, polynomial kernel of degree 8; root mean squared distance from the curve.\n")
    x = np.linspace(-10, 10, 100)[:, None]
    curve = np.sinc(x[:, 0] / np.pi)
    figure, axes = report.plot(1, 2)
    lines = []
    for axis, noise in zip(axes[0], (0, .2)):
        y = curve + noise * np.random.default_rng(7).normal(size=100)
        model = scant.MEDRegressor(folds=0, c=30, eps=.1, kernel="poly", degree=8, gamma=1, offset=1, no_standardize=True,
                                   weight_variance=1, time_limit=20).fit(x / 10, y)
        rival = SVR(C=30, epsilon=.1, kernel="poly", degree=8, gamma=1, coef0=1).fit(x / 10, y)
        axis.plot(x, y, ".", color="gray")
        for name, one, style in (("MED", model, "-"), ("SVR", rival, "--")):
            axis.plot(x, one.predict(x / 10), style, label=name)
            lines.append([f"{noise:g}", name, f"{np.sqrt(np.mean((one.predict(x / 10) - curve) ** 2)):.4f}"])
        axis.set(title=f"noise {noise:g}")
        axis.legend()
    report.save(figure, path)
    say(report.table(["noise", "method", "distance"], lines))
