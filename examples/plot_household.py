"""A household behind a DSL line: what do a call and a web page feel while a backup uploads and a film downloads?

A line of 50 Mbit/s down and 10 Mbit/s up has the buffer of a common modem, 300 ms in each direction. One person calls,
one reads web pages, a laptop fetches an update and a phone uploads photos. The modem's queue is a FIFO or FQ-CoDel.
"""

# %% The line, with one of two queues
import matplotlib.pyplot as plt

import windward as ww
from windward.results.stats import mean_and_interval
from windward.show.plot.style import COLORS, styled

QUEUES = ("drop-tail", "fq-codel")


def line(queue: str) -> ww.Run:
    scenario = ww.Scenario(
        name="household",
        duration="60 s",
        warmup="10 s",
        node=[ww.Node(name="home"), ww.Node(name="server")],
        link=[
            ww.Link(
                from_="server",
                to="home",
                rate="50 Mbit/s",
                delay="10 ms",
                buffer="300 ms",
                queue=queue,
                reverse=ww.Reverse(rate="10 Mbit/s"),
            )
        ],
        flow=[
            ww.Flow(name="update", from_="server", to="home", law="cubic", start_spread="1 s"),
            ww.Flow(name="photos", from_="home", to="server", law="cubic", start_spread="1 s"),
        ],
        app=[
            ww.Call(name="call", from_="home", to="server"),
            ww.Page(
                name="page",
                from_="home",
                to="server",
                law="cubic",
                objects=[ww.PageObject(name="text", size="30 kB")]
                + [ww.PageObject(name=f"picture-{number}", parent="text", size="60 kB") for number in range(12)],
                reading="3 s",
            ),
        ],
    )
    return scenario.simulate(seeds=10)


# %% The call's quality, the page's load time, and what the transfers get
panels = {
    "call up (MOS)": ("calls", "call:up", "mos", 1),
    "call down (MOS)": ("calls", "call:down", "mos", 1),
    "page load, median (s)": ("pages", "page", "load_p50_s", 1),
    "update down (Mbit/s)": ("flows", "update", "goodput_bps", 1e6),
    "photos up (Mbit/s)": ("flows", "photos", "goodput_bps", 1e6),
}
results: dict[str, list[tuple[float, float]]] = {title: [] for title in panels}
for queue in QUEUES:
    run = line(queue)
    answers = []
    for title, (table, name, column, unit) in panels.items():
        rows = getattr(run, table)
        mean, error = mean_and_interval(rows[rows["name"] == name][column] / unit)
        results[title].append((mean, error))
        answers.append(f"{title} {mean:.2f} ± {error:.2f}")
    print(f"{queue}: {'; '.join(answers)}")

# %% The figure
with styled():
    figure, axes = plt.subplots(1, len(panels), figsize=(10, 2.6))
    for each, (title, values) in zip(axes, results.items(), strict=True):
        means, errors = zip(*values, strict=True)
        each.bar(QUEUES, means, yerr=errors, color=COLORS[: len(QUEUES)], width=0.6, capsize=3)
        each.grid(axis="x", visible=False)
        each.set_title(title, fontsize=9)
        each.set_ylim(1 if "MOS" in title else 0, 5 if "MOS" in title else None)
        each.tick_params(axis="x", labelsize=8)
    figure.savefig("household.png", dpi=110)
