"""Simulated users: six features, two classes with a covariance in common, and a drift. And a real one."""
import numpy as np

DIMENSIONS = 6
RATE = 2                 # samples a second
MINUTES = 30             # recorded
SEPARATION = 1.2, 2.4    # distance of the class means in standard deviations: 73 % to 88 % at best
COMMON = 0.5             # how far users' directions share one; 1 would be the same for all
BASELINE = 1.0           # sd of a user's offset from the others', in standard deviations of a feature
WALK = 0.3               # sd of the offset's walk in a minute
TURN = 60.0              # degrees that the direction turns in the session, sd


def unit(v):
    return v / np.linalg.norm(v)


class User:
    """Recorded samples of both classes in the order of the recording, class by class."""

    def __init__(self, rng, common):
        n = 60 * RATE * MINUTES
        t = np.linspace(0, 1, n)
        A = rng.normal(size=(DIMENSIONS, DIMENSIONS)) / np.sqrt(DIMENSIONS)
        lower = np.linalg.cholesky(0.5 * np.eye(DIMENSIONS) + 0.5 * A @ A.T)
        direction = unit(COMMON * common + (1 - COMMON) * unit(rng.normal(size=DIMENSIONS)))
        across = rng.normal(size=DIMENSIONS)
        across = unit(across - across @ direction * direction)
        angle = np.radians(rng.normal(0, TURN)) * t
        way = np.cos(angle)[:, None] * direction + np.sin(angle)[:, None] * across
        size = rng.uniform(*SEPARATION) / np.linalg.norm(np.linalg.solve(lower, way.T), axis=0)
        steps = rng.normal(0, WALK / np.sqrt(60 * RATE), size=(n, DIMENSIONS))
        offset = rng.normal(0, BASELINE, DIMENSIONS) + np.cumsum(steps, axis=0)
        z = rng.permuted(np.arange(n) % 2)
        x = offset + (z - 0.5)[:, None] * size[:, None] * way + rng.normal(size=(n, DIMENSIONS)) @ lower.T
        self.samples = [x[z == k] for k in (0, 1)]

    def first(self, minutes):
        """Labelled rows of the first minutes."""
        n = 30 * RATE * minutes
        return [(row, k) for k in (0, 1) for row in self.samples[k][:n]]


def draw_users(seed, count):
    """`count` users to spell, and as many others whose data make the classifier that all start with."""
    rng = np.random.default_rng(seed)
    common = unit(rng.normal(size=DIMENSIONS))
    others = [User(rng, common) for _ in range(count)]
    return [User(rng, common) for _ in range(count)], others
