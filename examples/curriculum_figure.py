"""Plots which levels the sampler prefers during training.

    python examples/curriculum_figure.py [--out curriculum.svg]                  # of a simulated agent
    python examples/curriculum_figure.py --run runs/NAME --out curriculum.svg    # of a run of ./plr train

The figure stacks the replay probability of levels by their difficulty, here the number of rooms of
MultiRoom-N4-Random: easy levels dominate at first, and harder ones as the easy ones are learned.
"""

import argparse

import numpy as np

import plr

ENV = "minigrid/MultiRoom-N4-Random"
NUM_LEVELS = 400
COLORS = ("#fde725", "#5ec962", "#21918c", "#3b528b", "#440154")


def simulated_run():
    """Simulates an agent that learns levels with fewer rooms first, and each partly helps with the next."""
    env = plr.make_vec(ENV, 1)
    difficulty = np.array([env.difficulty(level) for level in range(NUM_LEVELS)])
    replay = plr.LevelReplay(NUM_LEVELS, staleness_coef=0.1, transform="proportional", temperature=1)
    skill = np.zeros(difficulty.max() + 1)
    shares = []
    for episode in range(1, 12_001):
        level = replay.next()
        degree = difficulty[level]
        ready = 1.0 if degree == 0 else skill[degree - 1]  # levels that are too hard teach nothing
        score = ready * (1 - skill[degree])
        skill[degree] += 0.001 * score
        replay.record(level, score)
        if episode % 200 == 0:
            weights = replay.weights()
            shares.append(np.bincount(difficulty[weights["level"]], weights["probability"], len(skill)))
    return np.arange(1, 61) * 200, np.array(shares), "episodes"


def logged_run(folder):
    table = plr.load_run(folder).curriculum
    if "by_difficulty" not in table:
        raise SystemExit(f"{folder}: its levels have no difficulty; those of MultiRoom-N4-Random do")
    return table["update"], np.array(table["by_difficulty"].tolist()), "updates"


def svg_of(times, shares, unit):
    """Returns a figure of stacked areas."""
    width, height, left, bottom = 520, 240, 40, 34
    x = left + (width - left - 90) * (times - times[0]) / (times[-1] - times[0])
    edges = np.cumsum(np.hstack([np.zeros((len(times), 1)), shares]), axis=1)
    y = 10 + (height - bottom - 10) * (1 - edges)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
             f'font-size="12">']
    for degree in range(shares.shape[1]):
        outline = [*zip(x, y[:, degree]), *zip(x[::-1], y[::-1, degree + 1])]
        points = " ".join(f"{px:.1f},{py:.1f}" for px, py in outline)
        color = COLORS[degree % len(COLORS)]
        parts.append(f'<polygon points="{points}" fill="{color}"/>')
        parts.append(f'<rect x="{width - 86}" y="{14 + 20 * degree}" width="12" height="12" fill="{color}"/>')
        parts.append(f'<text x="{width - 68}" y="{24 + 20 * degree}">difficulty {degree}</text>')
    parts += [f'<text x="{left}" y="{height - 8}">{times[0]:,} {unit}</text>',
              f'<text x="{width - 90}" y="{height - 8}" text-anchor="end">{times[-1]:,}</text>',
              f'<text transform="translate(14 {height - bottom}) rotate(-90)">replay probability</text>',
              "</svg>\n"]
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", help="folder of a run of ./plr train")
    parser.add_argument("--out", default="curriculum.svg")
    arguments = parser.parse_args()
    times, shares, unit = logged_run(arguments.run) if arguments.run else simulated_run()
    for at in (0, len(times) // 2, len(times) - 1):
        print(f"{unit} {times[at]:>6}: " + "  ".join(f"{share:.2f}" for share in shares[at]))
    with open(arguments.out, "w") as file:
        file.write(svg_of(times, shares, unit))
    print("wrote", arguments.out)


if __name__ == "__main__":
    main()


# Expected output:
# episodes    200: 0.89  0.07  0.03  0.02
# episodes   6200: 0.15  0.23  0.29  0.32
# episodes  12000: 0.17  0.21  0.27  0.34
# wrote curriculum.svg
