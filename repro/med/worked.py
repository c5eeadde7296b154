"""Worked examples that are no commands: joint against conditional Bayes (2.3.1), and boosting as entropy projections (3.4)."""
import itertools

import numpy as np
import scipy.optimize
import scipy.special

from sets import breast, report, splits, standard

POINTS = np.array([[-5.0, 3.0], [-4.5, -3.0], [4.5, 3.5], [5.0, -3.5]])  # the thesis shows its four in a figure only
SPREAD = 10.0  # of the means' prior
QUERY = -5.0
SHOWN = {"corrective": (5, 20, 40), "totally corrective": (2, 5, 8, 10, 12)}  # steps


def _evidence(z):
    """log of the integral of prod N(z_i; m, 1) N(m; 0, s^2) over m; z: points on the last axis."""
    n, s2 = z.shape[-1], SPREAD ** 2
    total = z.sum(axis=-1)
    return -0.5 * n * np.log(2 * np.pi) - 0.5 * np.log1p(n * s2) - 0.5 * ((z ** 2).sum(axis=-1) - s2 * total ** 2 / (1 + n * s2))


def joint(grid):
    """p(y | x = QUERY) of the joint density: all ways to share out points and query among two Gaussians."""
    n = len(POINTS)
    parts = []
    for assignment in itertools.product((0, 1), repeat=n + 1):
        of = np.array(assignment)
        log_x = sum(_evidence(np.append(POINTS[:, 0], QUERY)[of == k]) for k in (0, 1))
        log_y = 0
        for k in (0, 1):
            own = np.repeat(POINTS[of[:n] == k, 1][None], len(grid), axis=0)
            log_y = log_y + _evidence(np.hstack([own, grid[:, None]]) if of[n] == k else own)
        parts.append(log_x + log_y)
    return _density(scipy.special.logsumexp(parts, axis=0), grid)


def conditional(grid):
    """The same of the conditional density: x decides between the Gaussians by their gates, and says nothing of their means."""
    n, m = len(POINTS), np.linspace(-4 * SPREAD, 4 * SPREAD, 401)
    mu, nu = np.meshgrid(m, m, indexing="ij")
    prior = -0.5 * (mu ** 2 + nu ** 2) / SPREAD ** 2
    x = np.append(POINTS[:, 0], QUERY)
    gate = [[-np.logaddexp(0, sign * 0.5 * ((at - mu) ** 2 - (at - nu) ** 2)) for at in x] for sign in (1, -1)]
    parts = []
    for assignment in itertools.product((0, 1), repeat=n + 1):
        of = np.array(assignment)
        log_gates = scipy.special.logsumexp(prior + sum(gate[k][i] for i, k in enumerate(of)))
        log_y = 0
        for k in (0, 1):
            own = np.repeat(POINTS[of[:n] == k, 1][None], len(grid), axis=0)
            log_y = log_y + _evidence(np.hstack([own, grid[:, None]]) if of[n] == k else own)
        parts.append(log_gates + log_y)
    return _density(scipy.special.logsumexp(parts, axis=0), grid)


def _density(logs, grid):
    p = np.exp(logs - logs.max())
    return p / (p.sum() * (grid[1] - grid[0]))


def _modes(p):
    """Local maxima that stand out by a tenth of the highest."""
    peaks = [i for i in range(1, len(p) - 1) if p[i - 1] < p[i] >= p[i + 1]]
    kept = []
    for i in peaks:
        if not kept or p[kept[-1]:i].min() < min(p[i], p[kept[-1]]) - .1 * p.max():
            kept.append(i)
    return kept


def bayes(say, path):
    grid = np.linspace(-10, 10, 401)
    found = {"joint": joint(grid), "conditional": conditional(grid)}
    figure, axes = report.plot(1, 2)
    axes[0][0].plot(*POINTS.T, "o")
    axes[0][0].axvline(QUERY, color="gray", linestyle=":")
    axes[0][0].set(title="four points")
    for name, p in found.items():
        axes[0][1].plot(grid, p, label=name)
    axes[0][1].set(title=f"p(y | x = {QUERY:g})")
    axes[0][1].legend()
    report.save(figure, path)
    say("\n## Joint and conditional Bayes (2.3.1, Figure 2.4)\n\nA mixture of two Gaussians with identity covariances, half each, means N(0, 100 I), summed over all "
        "assignments of four points; the thesis's points are in a figure only, so these are of the same kind: two at the left, two at "
        f"the right, each pair with one high and one low. p(y | x = {QUERY:g}):\n")
    say(report.table(["inference", "modes", "where", "density at 0 over the highest"], [
        [name, len(_modes(p)), ", ".join(f"{grid[i]:.1f}" for i in _modes(p)), f"{p[len(p) // 2] / p.max():.2f}"] for name, p in found.items()]))


def _projected(U, start):
    """The P nearest to uniform with U P = 0, by its dual: a minimises log sum exp(-a'U), whose slope are the edges."""
    def dual(alpha):
        return scipy.special.logsumexp(-alpha @ U), -(U @ scipy.special.softmax(-alpha @ U))

    alpha = scipy.optimize.minimize(dual, start, jac=True, method="L-BFGS-B", options={"ftol": 1e-14, "gtol": 1e-7, "maxiter": 500}).x
    return alpha, scipy.special.softmax(-alpha @ U)


def boosting(say):
    """Stumps; the distribution over rows is projected on one constraint, or on all constraints so far."""
    x, y = breast()
    a, b = next(splits(1, len(y), 200, 400, seed=8))
    xa, xb = standard(x[a], x[b])
    side, test = 2 * y[a] - 1, 2 * y[b] - 1
    stumps = [(i, cut, sign) for i in range(x.shape[1]) for cut in np.unique(np.quantile(xa[:, i], np.arange(.05, 1, .05))) for sign in (1, -1)]
    says = np.array([sign * np.where(xa[:, i] > cut, 1, -1) for i, cut, sign in stumps])
    say("\n## Boosting as entropy projections (3.4)\n\nStumps on breast cancer, 200 / 400 rows. A step takes the stump with the best edge under P, and projects P on what makes "
        "the edge 0: P exp(-a U). Corrective: on the last stump's constraint; totally corrective: on all so far.\n")
    lines = []
    for name in ("corrective", "totally corrective"):
        P, used, alpha, edges = np.full(len(side), 1 / len(side)), [], np.zeros(0), []
        for _ in range(40):
            edge = (says * side) @ P
            if edge.max() < 1e-6:
                break
            used.append(int(edge.argmax()))
            edges.append(edge.max())
            U = says[used] * side
            if name == "corrective":
                step = scipy.optimize.minimize_scalar(lambda s: scipy.special.logsumexp(-s * U[-1], b=P)).x
                alpha = np.append(alpha, step)
                P = P * np.exp(-step * U[-1])
            else:
                alpha, P = _projected(U, np.append(alpha, 0))
                if np.abs(U @ P).max() > 1e-3:  # no P makes all edges 0: a vote of the stumps is right everywhere
                    break
            P = P / P.sum()
            if len(used) in SHOWN[name]:
                votes = [sum(w * stumps[k][2] * np.where(z[:, stumps[k][0]] > stumps[k][1], 1, -1) for w, k in zip(alpha, used)) for z in (xa, xb)]
                lines.append([name, len(used), len(set(used)), f"{edges[-1]:.3f}", f"{np.abs(U @ P).max():.1e}",
                              int((votes[0] * side <= 0).sum()), int((votes[1] * test <= 0).sum())])
    say(report.table(["projection", "steps", "different stumps", "edge of the last", "largest edge left among those used", "training errors", "test errors"], lines))
