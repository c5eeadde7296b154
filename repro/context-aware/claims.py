"""The paper's claims, one by one, against what the simulations gave."""
import numpy

from outcome import ALPHA, AWARE, LEVELS, SCENARIOS, SHARES

WITH_SHARES = [name for name in SCENARIOS if name != "means"]  # the mixing coefficients are estimated
LETTER = {name: text[:3] for name, text in SCENARIOS.items()}


def listed(names):
    return ", ".join(LETTER.get(n, str(n)) for n in names) or "none"


def level(value):
    return LEVELS.index(value)


def p_text(p):
    return "p < 1e-6" if p < 1e-6 else f"p = {p:.2g}"


class Claims:
    """Rows of (where, what the paper says, what came out, whether it held)."""

    def __init__(self, data):
        self.data, self.rows = data, []
        self.one = {name: data[name][0] for name in SCENARIOS}

    def add(self, where, claim, ours, held, chosen=False):
        """`chosen`: a reading of the paper was chosen with this claim in view, which makes it no test."""
        verdict = held if isinstance(held, str) else "held" if held else "**not held**"
        self.rows.append([where, claim, ours, verdict + (" †" if chosen else "")])

    def each(self, where, claim, names, test, note="", chosen=False):
        """A claim about several scenarios: held where test(outcome) is true of all."""
        bad = [n for n in names if not test(self.one[n])]
        ours = f"{len(names) - len(bad)} of {len(names)}" + (f"; not in {listed(bad)}" if bad else "")
        held = not bad or (f"**held in {len(names) - len(bad)} of {len(names)}**" if len(bad) < len(names) else False)
        self.add(where, claim, ours + (f"; {note}" if note else ""), held, chosen)

    # --- 4.3.1 ---

    def monotone(self, where, measure, sign, who, names):
        worst = []
        for name in names:
            means = [self.one[name].mean(who, measure, l) for l in range(len(LEVELS))]
            steps = sign * numpy.diff(means)
            worst += [f"{LETTER[name]} at NE {LEVELS[l + 1]} by {abs(s):.2g}" for l, s in enumerate(steps) if s < 0]
        label = {"D": "D falls", "rate": "r' rises", "ASE": "ASE falls"}[measure]
        self.add(where, f"{who}: mean {label} with NE", f"{10 * len(names) - len(worst)} of {10 * len(names)} steps"
                 + (f"; not {', '.join(worst[:4])}{' …' if len(worst) > 4 else ''}" if worst else ""),
                 not worst or (f"**held but for {len(worst)} of {10 * len(names)} steps**"))

    def precision(self):
        every = list(SCENARIOS)
        self.each("fig. 5", "S and US differ in D (p < 0.01)", every, lambda o: o.better("S", "US", "D") > 0)
        for who in AWARE:
            self.monotone("fig. 5", "D", -1, who, every)
        for ne in (0, 0.1, 0.3):
            ps = [self.one[n].p("CA", "WCA", "D", level(ne)) for n in WITH_SHARES]
            self.each("fig. 5", f"CA better than WCA in D at NE {ne} (p < 0.01), (a) excepted", WITH_SHARES,
                      lambda o, ne=ne: o.better("CA", "WCA", "D", level(ne)) > 0,
                      ", ".join(f"{LETTER[n]} {p_text(p)}" for n, p in zip(WITH_SHARES, ps)))
        self.each("fig. 5", "CA better than US in D at NE 0 (p < 0.01), (a) excepted", WITH_SHARES,
                  lambda o: o.better("CA", "US", "D", 0) > 0)
        for who in ("CA", "WCA"):
            self.each("fig. 5", f"{who} better than US in D at NE 0.1 (p < 0.01)", every,
                      lambda o, who=who: o.better(who, "US", "D", 1) > 0)
        self.each("fig. 5", "CA and WCA between S and US in mean D, at all NE", every,
                  lambda o: all(o.mean("S", "D") - 1e-3 <= o.mean(w, "D", l) <= o.mean("US", "D") + 1e-3
                                for w in ("CA", "WCA") for l in range(len(LEVELS))), "within 0.001")
        self.each("fig. 5", "CA and WCA differ from S in D below NE 0.6 (p < 0.01)", every,
                  lambda o: all(o.p(w, "S", "D", l) < ALPHA for w in ("CA", "WCA") for l in range(level(0.6))))
        first = [n for n in every if n != "lines"]
        self.each("fig. 5", "DCA worse than US in mean D at NE 0, (f) excepted", first,
                  lambda o: o.mean("DCA", "D", 0) > o.mean("US", "D"),
                  "; ".join(f"{LETTER[n]} {self.one[n].mean('DCA', 'D', 0):.3g} against "
                            f"{self.one[n].mean('US', 'D'):.3g}" for n in first))
        lines = self.one["lines"]
        self.add("fig. 5", "(f): DCA better than US in D already at NE 0",
                 f"{lines.mean('DCA', 'D', 0):.3g} against {lines.mean('US', 'D'):.3g}, "
                 f"{p_text(lines.p('DCA', 'US', 'D', 0))}", lines.mean("DCA", "D", 0) < lines.mean("US", "D"), True)
        self.each("fig. 5", "fewer problems without a regular maximum: US at least WCA, WCA at least CA, in sum over NE",
                  every, lambda o: o.irregular("US") * len(LEVELS) >= sum(o.irregular("WCA", l) for l in range(11))
                  >= sum(o.irregular("CA", l) for l in range(11)))

        lost = {n: (self.one[n].irregular("US"), self.one[n].unfinished("US")) for n in every}
        self.add("§4.3.1", "where US does not converge, it is the likelihood's irregularity, not too few iterations",
                 "; ".join(f"{LETTER[n]} {a} irregular, {b} unfinished" for n, (a, b) in lost.items()),
                 all(a > b for a, b in lost.values()))

    def theory(self):
        every = list(SCENARIOS)
        for who in ("CA", "WCA"):
            self.monotone("fig. 6", "rate", 1, who, every)
        self.each("fig. 6", "r' of CA above WCA's at all NE below 0.9 (p < 0.01), (a) excepted", WITH_SHARES,
                  lambda o: all(o.better("CA", "WCA", "rate", l) > 0 for l in range(level(0.9))))
        self.each("fig. 6", "r' of CA and WCA above US's at all NE above 0 (p < 0.01)", every,
                  lambda o: all(o.better(w, "US", "rate", l) > 0 for w in ("CA", "WCA") for l in range(1, 11)))
        for who in ("CA", "WCA"):
            self.monotone("fig. 7", "ASE", -1, who, every)
        self.each("fig. 7", "ASE of CA below WCA's at NE 0 and 0.1 (p < 0.01), (a) excepted", WITH_SHARES,
                  lambda o: all(o.better("CA", "WCA", "ASE", l) > 0 for l in (0, 1)))
        self.each("fig. 7", "mean ASE of CA and WCA between S's and US's", every,
                  lambda o: all(o.mean("S", "ASE") * 0.98 <= o.mean(w, "ASE", l) <= o.mean("US", "ASE") * 1.02
                                for w in ("CA", "WCA") for l in range(11)), "within 2 %")

    def accuracy(self):
        every = list(SCENARIOS)
        rest = [n for n in every if n != "maxwell"]
        self.each("fig. 8", "S better than US in A or MSE (p < 0.01), (e) excepted", rest,
                  lambda o: o.better("S", "US", "A") > 0, chosen=True)
        maxwell = self.one["maxwell"]
        gap = maxwell.mean("S", "A") - maxwell.mean("US", "A")
        p = maxwell.p("S", "US", "A")
        self.add("fig. 8", "(e): S about 5 % above US, not significant", f"{gap:.1f} %, {p_text(p)}",
                 p >= ALPHA and 2 < gap < 8, True)
        self.each("fig. 8", "WCA at NE 0 is US", every,
                  lambda o: abs(o.mean("WCA", "A", 0) - o.mean("US", "A")) < 0.05 and
                  abs(o.mean("WCA", "D", 0) - o.mean("US", "D")) < 1e-3)
        better = [n for n in every if self.one[n].better("CA", "US", "A", 0) > 0]
        self.add("fig. 8", "CA at NE 0 better than US in A or MSE (p < 0.01) in (b) and (f) only", f"in {listed(better)}",
                 sorted(better) == sorted(["two", "lines"]))
        four = [n for n in every if n not in ("means", "maxwell")]
        self.each("fig. 8", "CA and WCA no longer differ from S in A or MSE at NE 0.1, (a) and (e) excepted", four,
                  lambda o: all(o.p(w, "S", "A", 1) >= ALPHA for w in ("CA", "WCA")))
        classes = [n for n in every if n != "lines"]
        self.each("fig. 8", "DCA near chance at NE 0", classes,
                  lambda o: abs(o.mean("DCA", "A", 0) - (100 / 3 if o.name == "three" else 50)) < 3)
        self.each("fig. 8", "DCA better than US in mean A or MSE from NE 0.1 on", every,
                  lambda o: all((o.mean("DCA", "A", l) - o.mean("US", "A")) * (-1 if o.name == "lines" else 1) > 0
                                for l in range(1, 11)))

    # --- 4.3.2 to 4.3.4 ---

    def mixed(self):
        o, pure = self.data["mixed"][0], self.one["two"]
        self.add("fig. 9", "CA better than WCA in D (p < 0.01)",
                 f"{o.mean('CA', 'D'):.3g} and {o.mean('WCA', 'D'):.3g}, {p_text(o.p('CA', 'WCA', 'D'))}",
                 o.better("CA", "WCA", "D") > 0)
        self.add("fig. 9", "CA and WCA better than DCA in D (p < 0.01)", f"DCA {o.mean('DCA', 'D'):.3g}",
                 all(o.better(w, "DCA", "D") > 0 for w in ("CA", "WCA")))
        self.add("fig. 9", "DCA better than US in mean D, not significantly",
                 f"{o.mean('DCA', 'D'):.3g} and {o.mean('US', 'D'):.3g}, {p_text(o.p('DCA', 'US', 'D'))}",
                 o.mean("DCA", "D") < o.mean("US", "D") and (o.p("DCA", "US", "D") >= ALPHA or
                                                              "**held, but significant**"))
        self.add("fig. 9", "all worse than S in D (p < 0.01), CA and WCA nearer to S than to US",
                 f"S {o.mean('S', 'D'):.3g}", all(o.better(w, "S", "D") < 0 for w in AWARE) and
                 all(o.mean(w, "D") < (o.mean("S", "D") + o.mean("US", "D")) / 2 for w in ("CA", "WCA")))
        for who in ("CA", "WCA"):
            average = numpy.mean([pure.mean(who, "D", l) for l in range(6)])
            near = pure.mean(who, "D", level(0.2)), pure.mean(who, "D", level(0.3))
            self.add("fig. 9", f"D of {who} near the average of pure NE 0 to 0.5",
                     f"{o.mean(who, 'D'):.3g}; average {average:.3g}; pure NE 0.2 and 0.3: {near[0]:.3g}, {near[1]:.3g}",
                     abs(o.mean(who, "D") / average - 1) < 0.25)
            self.add("fig. 9", f"D of {who} as with pure context of the mean NE, 0.25",
                     f"{o.mean(who, 'D'):.3g} and, between pure 0.2 and 0.3, {sum(near) / 2:.3g}",
                     abs(o.mean(who, "D") / (sum(near) / 2) - 1) < 0.25)
        lost = [o.irregular(w) for w in ("US", "CA", "WCA")]
        late = [o.unfinished(w) for w in ("US", "CA", "WCA")]
        self.add("fig. 9", "US: 100 problems do not converge, CA and WCA: all do",
                 "irregular {}, {} and {}; unfinished {}, {} and {}".format(*lost, *late),
                 "**held for irregular ones only**" if lost[0] > 0 == lost[1] == lost[2] and late[0] > 130 else
                 lost[0] > 0 == lost[1] == lost[2], True)
        self.add("fig. 9", "A of CA and WCA does not differ from S's, is better than US's (p < 0.01)",
                 ", ".join(f"{w} {o.mean(w, 'A'):.1f}" for w in ("S", "CA", "WCA", "DCA", "US")),
                 all(o.p(w, "S", "A") >= ALPHA and o.better(w, "US", "A") > 0 for w in ("CA", "WCA")))

    def wrong(self):
        data = dict(zip(SHARES, self.data["wrong"]))

        def verdicts(shares, levels, wanted, whos=AWARE):
            cells = [(s, w, l) for s in shares for w in whos for l in levels]
            bad = [c for c in cells if data[c[0]].better(c[1], "US", "D", c[2]) != wanted]
            signs = [numpy.sign(data[s].mean("US", "D") - data[s].mean(w, "D", l)) == wanted for s, w, l in cells]
            ours = f"{len(cells) - len(bad)} of {len(cells)}; by means alone {sum(signs)}"
            if bad:
                ours += "; not " + ", ".join(f"{w} {LEVELS[l]:g} at {100 * s:.0f} %" for s, w, l in bad[:6])
                ours += " …" if len(bad) > 6 else ""
            return ours, not bad or f"**held in {len(cells) - len(bad)} of {len(cells)}**"

        aware, above = range(1, 11), (0.6, 0.7, 0.8, 0.9)
        self.add("fig. 10", "60 % wrong and more: CA, WCA, DCA worse than US in D at all NE above 0 (p < 0.01)",
                 *verdicts(above, aware, -1))
        self.add("fig. 10", "50 % wrong: worse than US at all NE above 0 (p < 0.01); the text also says better",
                 *verdicts((0.5,), aware, -1))
        self.add("fig. 10", "40 % wrong: CA and WCA better than US at NE 0.1 to 0.5 (p < 0.01)",
                 *verdicts((0.4,), range(1, 6), 1, ("CA", "WCA")))
        self.add("fig. 10", "30 % wrong and less: CA and WCA better than US at all NE above 0 (p < 0.01)",
                 *verdicts((0.1, 0.2, 0.3), aware, 1, ("CA", "WCA")))
        rising = [s for s in (0.1, 0.2, 0.3, 0.4) for w in ("CA", "WCA")
                  if data[s].mean(w, "D", 10) > data[s].mean(w, "D", 2)]
        self.add("fig. 10", "wrong in the minority: D of CA and WCA grows with NE", f"{len(rising)} of 8 (NE 0.99 against 0.2)",
                 len(rising) == 8)
        half = [data[0.5].mean(w, "A", l) for w in AWARE for l in aware]
        self.add("fig. 10", "50 % wrong: A near chance", f"{min(half):.1f} to {max(half):.1f}",
                 all(abs(a - 50) < 3 for a in half))
        top = [data[s].mean(w, "A", l) for s in above for w in AWARE for l in aware]
        self.add("fig. 10", "60 % wrong and more: A below chance, inverted", f"{min(top):.1f} to {max(top):.1f}; S "
                 f"{data[0.6].mean('S', 'A'):.1f}", max(top) < 50)

    def biased(self):
        data = dict(zip(SHARES, self.data["biased"]))

        def mean_size(who, l=0):  # mean over shares of the size of the mean bias
            return float(numpy.mean([abs(data[s].mean(who, "B", l)) for s in SHARES if s != 0.5]))

        us = [data[s].mean("US", "B") for s in SHARES]
        signs = all(b > 0 for b in us[:4]) and all(b < 0 for b in us[5:])
        self.add("fig. 11", "US: the larger class is estimated better", ", ".join(f"{b:+.2f}" for b in us), signs)
        grows = all(abs(us[k]) > abs(us[k + 1]) for k in range(4)) and all(abs(us[k]) > abs(us[k - 1]) for k in range(5, 9))
        self.add("fig. 11", "US: the more so the less even the classes", "as above", grows)
        half = next(LEVELS[l] for l in range(11) if mean_size("CA", l) < mean_size("US") / 2)
        self.add("fig. 11", "CA removes the bias, nearly to S's, already at low NE",
                 f"mean size of B: US {mean_size('US'):.3f}; CA {mean_size('CA', 0):.3f} at NE 0, "
                 + ", ".join(f"{mean_size('CA', l):.3f} at {LEVELS[l]}" for l in (1, 2, 3, 5, 7)) +
                 f"; S {mean_size('S'):.3f}", half == 0.1 or f"**below half of US's only from NE {half} on**")
        grown = [LEVELS[l] for l in range(11) if mean_size("WCA", l) > mean_size("US") + 1e-3]
        self.add("fig. 11", "WCA too lessens the bias", f"WCA {mean_size('WCA', 1):.3f} at 0.1, {mean_size('WCA', 3):.3f} "
                 f"at 0.3, {mean_size('WCA', 5):.3f} at 0.5; above US's at NE " + (", ".join(map(str, grown)) or "none"),
                 not grown)
        nearer = sum(mean_size("CA", l) <= mean_size("WCA", l) for l in range(11))
        self.add("fig. 11", "CA less biased than WCA", f"at {nearer} of 11 levels; at NE 0.1 {mean_size('CA', 1):.3f} "
                 f"and {mean_size('WCA', 1):.3f}", nearer >= 10)
        beyond = sum(mean_size("WCA", l) < mean_size("DCA", l) and mean_size("CA", l) < mean_size("DCA", l)
                     for l in range(1, 10))
        self.add("fig. 11", "CA and WCA less biased than DCA", f"at {beyond} of 9 levels, NE 0.1 to 0.9; DCA at NE 0.1 "
                 f"{mean_size('DCA', 1):.3f}", beyond == 9)

    def all(self):
        self.precision()
        self.theory()
        self.accuracy()
        self.mixed()
        self.wrong()
        self.biased()
        return self.rows
