"""A household's line: what do a call and a web page feel while a backup uploads and an update downloads?

A line of 50 Mbit/s down and 10 Mbit/s up has the buffer of a common modem, 300 ms in each direction. One person calls,
one reads web pages, a laptop fetches an update and a phone uploads photos. The queue is the modem's FIFO, FQ-CoDel, or
CAKE.

Answer: behind the FIFO the call's quality is 1.20 up and 1.26 down, and a page takes 3.27 ± 0.43 s; behind FQ-CoDel and
CAKE the call has 4.36, as alone, and a page takes 0.36 and 0.44 s. The update keeps 41.91 and 41.46 of 42.95 Mbit/s.

It prints:

               call up, call down (MOS), page (s), update, photos (Mbit/s)
    drop-tail   1.20 ± 0.02   1.26 ± 0.06   3.27 ± 0.43  42.95 ± 1.86   8.50 ± 0.15
    fq-codel    4.36 ± 0.00   4.36 ± 0.00   0.36 ± 0.00  41.91 ± 0.60   8.75 ± 0.00
    cake        4.36 ± 0.00   4.36 ± 0.00   0.44 ± 0.00  41.46 ± 0.34   8.32 ± 0.00
"""

# %% The line, with one of three queues
import matplotlib.pyplot as plt

import windward as ww
from windward.results.stats import mean_and_interval
from windward.show.plot.style import COLORS, styled

#: Discipline of each direction: 50 Mbit/s down and 10 up. CAKE shapes to 95 %, so that the queue is its own.
QUEUES = {
    "drop-tail": (ww.format.DropTail(), ww.format.DropTail()),
    "fq-codel": (ww.format.FqCodel(), ww.format.FqCodel()),
    "cake": (ww.format.Cake(bandwidth="47.5 Mbit/s"), ww.format.Cake(bandwidth="9.5 Mbit/s")),
}


def line(
    down: ww.format.DropTail | ww.format.FqCodel | ww.format.Cake,
    up: ww.format.DropTail | ww.format.FqCodel | ww.format.Cake,
) -> ww.Run:
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
                queue=down,
                reverse=ww.format.Reverse(rate="10 Mbit/s", queue=up),
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
                objects=[ww.format.PageObject(name="text", size="30 kB")]
                + [ww.format.PageObject(name=f"picture-{number}", parent="text", size="60 kB") for number in range(12)],
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
print("           call up, call down (MOS), page (s), update, photos (Mbit/s)")
for queue, (down, up) in QUEUES.items():
    run = line(down, up)
    answers = []
    for title, (table, name, column, unit) in panels.items():
        rows = getattr(run, table)
        mean, error = mean_and_interval(rows[rows.iloc[:, 1] == name][column] / unit)
        results[title].append((mean, error))
        answers.append(f"{mean:5.2f} ± {error:.2f}")
    print(f"{queue:9}  {'  '.join(answers)}")

# %% The figure
with styled():
    figure, axes = plt.subplots(1, len(panels), figsize=(11, 2.6))
    for each, (title, values) in zip(axes, results.items(), strict=True):
        means, errors = zip(*values, strict=True)
        each.bar(list(QUEUES), means, yerr=errors, color=COLORS[: len(QUEUES)], width=0.6, capsize=3)
        each.grid(axis="x", visible=False)
        each.set_title(title, fontsize=9)
        each.set_ylim(1 if "MOS" in title else 0, 5 if "MOS" in title else None)
        each.tick_params(axis="x", labelsize=8)
    figure.savefig("household.png", dpi=110)
