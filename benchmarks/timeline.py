"""Plots the time of a training step by category, before and after each optimization.

    python benchmarks/timeline.py benchmarks/timeline.json docs/pictures/timeline.svg

The numbers are outputs of `plr bench train --json`; each row of the file has its command and commit.
"""

import html
import json
import sys

PARTS = [("acting", "inference", "#3b78c3"), ("environment", "environment", "#4aa564"),
         ("sampler", "scores and draws", "#b7a03a"), ("update", "PPO update", "#c8603a"),
         ("rest", "rest", "#888888")]
LEFT, WIDTH, ROW, BAR = 300, 620, 30, 20


def bar(row, y, scale):
    whole = 64e6 / row["steps_per_second"]  # microseconds
    parts, x = [], LEFT
    for name, _, color in PARTS:
        width = whole * row[name] / 100 * scale
        parts.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{BAR}" fill="{color}"/>')
        x += width
    label = html.escape(f'{row["task"].removeprefix("minigrid-")}: {row["what"]}')
    parts.append(f'<text x="{LEFT - 8}" y="{y + 15}" text-anchor="end">{label}</text>')
    parts.append(f'<text x="{x + 6:.1f}" y="{y + 15}">{whole:.0f} us, '
                 f'{row["steps_per_second"] / 1000:.0f}k steps/s</text>')
    return parts


def main():
    data = json.load(open(sys.argv[1]))
    rows = data["rows"]
    lines = []
    for i, row in enumerate(rows):
        slowest = min(other["steps_per_second"] for other in rows if other["task"] == row["task"])
        lines += bar(row, 40 + i * ROW, (WIDTH - 170) * slowest / 64e6)
    x = LEFT
    for _, meaning, color in PARTS:
        lines.append(f'<rect x="{x}" y="12" width="12" height="12" fill="{color}"/>')
        lines.append(f'<text x="{x + 16}" y="23">{meaning}</text>')
        x += 40 + 7 * len(meaning)
    height = 40 + len(rows) * ROW + 36
    for i, text in enumerate([data["unit"], data["machine"]]):
        lines.append(f'<text x="{LEFT}" y="{height - 22 + 14 * i}" class="small">{html.escape(text)}</text>')
    with open(sys.argv[2], "w") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH}" height="{height}" '
                   'font-family="sans-serif" font-size="12">\n<style>.small{font-size:10px}</style>\n'
                   f'<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(lines) + "\n</svg>\n")


if __name__ == "__main__":
    main()
