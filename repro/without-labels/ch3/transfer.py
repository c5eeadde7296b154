"""Figure 15: log loss of classifiers that were trained on other subgroups, estimated from scores alone."""
import numpy

import data
import learn
from common import report

LEFT_OUT = {"sci": "sci.med", "talk": "talk.politics.misc", "comp": "comp.sys.mac.hardware"}
IBM, HOCKEY = "comp.sys.ibm.pc.hardware", "rec.sport.hockey"


class Task:
    """Test: a top category less one of its subgroups against one subgroup of another, `few` posts of it. Training: as many
    posts of the subgroup that was left out as of the other category's rest."""

    def __init__(self, tops, out, one, few=None, told=("-", "-", "-", "-")):
        self.tops, self.out, self.one, self.few = tops, out, one, few
        self.loss, self.error, self.n, self.share = told  # as printed

    def draw(self, news, seed):
        """Training rows and labels, test rows and labels."""
        rng = numpy.random.default_rng(seed)
        chosen = news.rows_of(*(f"{top}." for top in self.tops))
        x, group = data.tfidf(news.counts[chosen], WORDS, sublinear=True), news.group[chosen]
        y = numpy.array([name.startswith(f"{self.tops[0]}.") for name in group]).astype(int)
        own, other = numpy.flatnonzero((y == 1) & (group != self.out)), numpy.flatnonzero(group == self.one)
        test = numpy.concatenate([own, rng.permutation(other)[:self.few]])
        rest = [rng.permutation(rows) for rows in (numpy.flatnonzero(group == self.out),
                                                   numpy.flatnonzero((y == 0) & (group != self.one)))]
        train = numpy.concatenate([rows[:min(map(len, rest))] for rows in rest])
        return x[train], y[train], x[test], y[test]


def published(tops, one, *told, few=None):
    return Task(tops, LEFT_OUT[tops[0]], one, few, told)


PUBLISHED = [published(("sci", "comp"), IBM, 0.7088, 0.013, 3590, 0.8257, few=628),
             published(("sci", "rec"), "rec.motorcycles", 0.641, 0.022, 3958, 0.7484),
             published(("talk", "rec"), HOCKEY, 0.5933, 0.026, 3476, 0.7126),
             published(("talk", "comp"), IBM, 0.4678, 0.025, 3459, 0.7161),
             published(("talk", "sci"), "sci.space", 0.5442, 0.044, 3464, 0.7151),
             published(("comp", "rec"), HOCKEY, 0.4851, 0.010, 4927, 0.7972)]
TURNED = [Task(("comp", "sci"), "comp.sys.mac.hardware", "sci.med"), Task(("rec", "sci"), "rec.sport.hockey", "sci.med"),
          Task(("rec", "talk"), "rec.sport.hockey", "talk.politics.misc"),
          Task(("comp", "talk"), "comp.sys.mac.hardware", "talk.politics.misc"),
          Task(("sci", "talk"), "sci.med", "talk.politics.misc"), Task(("rec", "comp"), "rec.sport.hockey", "comp.sys.mac.hardware")]
WORDS = 1000
COSTS = (0.03, 0.1, 0.2, 0.3, 1, 3, 10)
CHOSEN = 0.1
SEEDS = range(201, 206)


def audited(place, task, news):
    """{cost: [(loss, relative error or NaN where the audit refuses, did it warn) for each seed]}, and the test's size and share."""
    found = {cost: [] for cost in COSTS}
    for seed in SEEDS:
        x, y, other, truth = task.draw(news, seed)
        scores = numpy.column_stack([learn.plain_logistic(x, y, cost)(other) for cost in COSTS])
        for cost, f, one in zip(COSTS, scores.T, learn.audit(place, scores, truth.mean())):
            loss = learn.logloss(f, truth)
            found[cost].append((loss, learn.estimated(one) / loss - 1, bool(one.get("warnings", True))))
    return found, len(truth), truth.mean()


def errors_of(outcomes):
    return numpy.abs([error for _, error, _ in outcomes])


def validated(x, y, folds=5):
    """The cost with the lowest log loss on training rows held out in turn."""
    fold = numpy.random.default_rng(15).permutation(len(y)) % folds
    return min(COSTS, key=lambda cost: sum(
        learn.logloss(learn.plain_logistic(x[fold != h], y[fold != h], cost)(x[fold == h]), y[fold == h]) for h in range(folds)))


def cell(outcomes):
    """Mean error, the largest, a star for a warning; refusals are told."""
    errors = errors_of(outcomes)
    refused = int(numpy.isnan(errors).sum())
    if refused == len(errors):
        return "refused"
    text = f"{numpy.nanmean(errors):.3f} ({numpy.nanmax(errors):.3f})" + ("*" if any(w for _, _, w in outcomes) else "")
    return text + (f", {refused} refused" if refused else "")


def nearest(every):
    """The cost whose losses are nearest to the printed ones, by their squares."""
    return min(COSTS, key=lambda cost: sum((numpy.mean([loss for loss, _, _ in found[cost]]) - task.loss)**2
                                           for task, (found, _, _) in zip(PUBLISHED, every)))


def compared(task, outcomes):
    """A row of the table beside the paper's."""
    loss, errors = numpy.mean([loss for loss, _, _ in outcomes]), errors_of(outcomes)
    return ["/".join(task.tops), task.loss, f"{loss:.4f}", task.error, f"{errors.mean():.3f}", f"{errors.max():.3f}",
            f"{abs(numpy.log(2) / loss - 1):.3f}"]


def all_costs(say, tasks, every, news=None):
    rows = [["/".join(task.tops), *(cell(found[cost]) for cost in COSTS),
             *([validated(*task.draw(news, SEEDS[0])[:2])] if news else [])] for task, (found, _, _) in zip(tasks, every)]
    say(report.table(["task", *(f"C = {cost}" for cost in COSTS), *(["C by cross-validation"] if news else [])], rows))


def transfer(say, place, _):
    news = data.News()
    say("## Figure 15: log loss of transferred classifiers, 20 newsgroups\n")
    say("The chapter reports neither subsets nor features nor penalty. The subsets can be found: all printed sizes and shares but "
        "one are those of three (of comp: four) whole subgroups against one whole subgroup of the bydate collection, so training "
        "can only have used the others. "
        "sci/comp's 3590 is 2962 posts of sci and 628 others; no subgroup of comp has 628 (talk.religion.misc has), and "
        "0.8257 is 0.8251 then. Here it has 628 posts drawn from one subgroup.\n")
    every = [audited(place, task, news) for task in PUBLISHED]
    say(report.table(["task", "left for training", "tested against", "n printed", "n here", "p printed", "p here"], [
        ["/".join(task.tops), task.out, task.one, task.n, n, task.share, f"{share:.4f}"]
        for task, (_, n, share) in zip(PUBLISHED, every)]))
    say(f"The classifier: logistic regression, {WORDS} most frequent words (as figure 14), tf-idf of 1 + log counts, rows of length one, "
        "equally many training rows of each class, loss summed over rows + |w|^2 / 2C. Five draws of the training rows, seeds "
        f"{SEEDS[0]} to {SEEDS[-1]}. **C = {CHOSEN} and the weighing of words were chosen for their errors**, on draws with seeds 0 to 2 "
        f"that are not used here; the printed losses are met best by C = {nearest(every)}. [README](README.md) has all that was "
        "tried, and most of it fails on some task.\n")
    say(report.table(["task", "paper's loss", "our loss", "paper's relative error", "ours, mean", "largest of 5", "guessing log 2"],
                     [compared(task, found[CHOSEN]) for task, (found, _, _) in zip(PUBLISHED, every)]))
    good = sum(errors_of(found[CHOSEN]).mean() <= 0.05 for found, _, _ in every)
    say(f"At most 5 % in the mean of five draws: {good} of {len(every)}. The last column is what an estimate that knows nothing would "
        "be off by, the loss of scores of 0: such weak classifiers are not far from it, and the printed ones are not either.\n")
    say("All penalties: mean relative error (largest of 5; * where the audit warned on any), and what five-fold cross-validation of "
        "the training rows would have chosen.\n")
    all_costs(say, PUBLISHED, every, news)
    say("The same categories the other way round, looked at for the first time here:\n")
    all_costs(say, TURNED, [audited(place, task, news) for task in TURNED])


# --- where the errors come from ---

def normal_loss(f, y):
    """Eq. 72 with each class's own mean and spread, as labels tell them."""
    nodes, weights = numpy.polynomial.hermite_e.hermegauss(60)
    losses = [numpy.logaddexp(0, -side * (f[y == k].mean() + f[y == k].std() * nodes)) @ weights / weights.sum()
              for k, side in ((0, -1), (1, 1))]
    return (1 - y.mean()) * losses[0] + y.mean() * losses[1]


def against_labels(place, task, news, cost):
    """Errors of eq. 72 without and with labels, the classes' skewness, and spreads found / true; means over the seeds."""
    found = []
    for seed in SEEDS:
        x, y, other, truth = task.draw(news, seed)
        f = learn.plain_logistic(x, y, cost)(other)
        one, = learn.audit(place, f[:, None], truth.mean())
        loss, spread = learn.logloss(f, truth), [f[truth == k].std() for k in (0, 1)]
        skew = [((f[truth == k] - f[truth == k].mean())**3).mean() / spread[k]**3 for k in (0, 1)]
        found.append([learn.estimated(one) / loss - 1, normal_loss(f, truth) / loss - 1, *skew,
                      *(a / b for a, b in zip(one["sd"], spread))])
    return numpy.mean(found, 0)


def moments(say, place, _):
    news, cost, rows = data.News(), 1, []
    for task in PUBLISHED:
        mean = against_labels(place, task, news, cost)
        rows.append(["/".join(task.tops), f"{100 * mean[0]:+.1f} %", f"{100 * mean[1]:+.2f} %",
                     f"{mean[2]:+.2f}, {mean[3]:+.2f}", f"{mean[4]:.2f}, {mean[5]:.2f}"])
    say("## Figure 15: where the errors come from\n")
    say(f"C = {cost}, where they are larger, seeds {SEEDS[0]} to {SEEDS[-1]}, means. With the mean and spread that labels give each "
        "class, eq. 72 is right: that margins are not quite normal does not matter to it. What fails is finding the two "
        "normals without labels where classes are skewed: the likeliest mixture covers a tail with the other class or a "
        "wider spread.\n")
    say(report.table(["task", "estimated without labels", "with the classes' own moments", "skewness of the classes",
                      "spread found / true"], rows))
