# SPDX-License-Identifier: MIT
"""charts.py - charts as SVG for page.py: bars with quartiles, and lines on logarithmic axes.

They have no background, and colours that can be read on white and on black.
"""
import math
from xml.sax.saxutils import escape

WIDTH = 860
LEFT, RIGHT, TOP = 190, 110, 48
GREY = '#76808c'
COLOURS = {'floor': GREY, 'libredlock': '#3b82f6', 'libredlock, wake hint': '#06a5c4', 'libredlock, io_uring': '#7c6cf0',
           'hiredis': '#2da44e', 'python3-redis Lock': '#c98a1b', 'node-redlock 5': '#e5484d', 'node-redlock 4': '#d0559f',
           'redlock-universal': '#a8763e', '@sesamecare-oss/redlock': '#7f9a1f'}


def short(x):
    """A number with three digits."""
    if x is None:
        return ''
    if x >= 100 or x == int(x):
        return f'{x:,.0f}'
    return f'{x:.3g}' if x < 0.1 else f'{x:.1f}' if x >= 10 else f'{x:.2f}'


def frame(height, title, what, body):
    return '\n'.join([
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{height}' viewBox='0 0 {WIDTH} {height}' role='img' "
        "aria-labelledby='title desc'>",
        '<!-- SPDX-License-Identifier: MIT -->\n<!-- Written by make bench-update: not edited by hand. -->',
        f"<title id='title'>{escape(title)}</title>", f"<desc id='desc'>{escape(what)}</desc>",
        f'<style>\ntext {{ font: 12px system-ui, sans-serif; fill: {GREY} }}\n.title {{ font-weight: bold }}\n'
        '.right { text-anchor: end }\n.middle { text-anchor: middle }\npath { fill: none }\n'
        f'.grid {{ stroke: {GREY}; stroke-opacity: .35 }}\n.spread {{ stroke: {GREY}; stroke-width: 1.5 }}\n</style>',
        f"<text class='title' x='8' y='24'>{escape(title)}</text>", *body, '</svg>', ''])


def bars(title, unit, rows):
    """rows: name to its quartiles; less is better."""
    step = 26
    bottom = TOP + step * len(rows)
    most = max(upper for _, _, upper in rows.values())
    tick = 10 ** math.floor(math.log10(most))
    tick = tick if most / tick >= 3 else tick / 5
    scale = (WIDTH - LEFT - RIGHT) / most
    body = []
    for k in range(int(most / tick) + 1):
        x = LEFT + k * tick * scale
        body.append(f"<path class='grid' d='M{x:.1f} {TOP}V{bottom}'/>")
        body.append(f"<text class='middle' x='{x:.1f}' y='{bottom + 16}'>{short(k * tick)}</text>")
    body.append(f"<text x='8' y='{bottom + 16}'>{escape(unit)}</text>")
    for i, (name, (lower, median, upper)) in enumerate(rows.items()):
        y = TOP + step * i + step / 2
        colour = COLOURS.get(name, GREY)
        body.append(f"<text x='8' y='{y + 4:.1f}'>{escape(name)}</text>")
        body.append(f"<path d='M{LEFT} {y:.1f}h{median * scale:.1f}' stroke='{colour}' stroke-width='14'/>")
        left, right = LEFT + lower * scale, LEFT + upper * scale
        ends = f'M{left:.1f} {y - 4:.1f}v8M{right:.1f} {y - 4:.1f}v8'
        body.append(f"<path class='spread' d='M{left:.1f} {y:.1f}H{right:.1f}{ends}'/>")
        body.append(f"<text x='{right + 6:.1f}' y='{y + 4:.1f}'>{short(median)}</text>")
    said = '; '.join(f'{name} {short(median)}' for name, (_, median, _) in rows.items())
    return frame(bottom + 30, title, f'{unit}, medians: {said}. The thin lines are quartiles.', body)


def ticks(low, high):
    """Of a logarithmic axis: powers of ten, and 2 and 5 times them where there are few."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    marks = [mark for e in decades for mark in (10.0 ** e, 2 * 10.0 ** e, 5 * 10.0 ** e) if low <= mark <= high]
    powers = [mark for mark in marks if math.log10(mark) % 1 == 0]
    return powers if len(powers) > 3 else marks


def apart(places, gap):
    """Places of labels, moved down until they are as far apart as gap."""
    moved = []
    for y in sorted(places):
        moved.append(max(y, moved[-1] + gap) if moved else y)
    return dict(zip(sorted(places), moved))


def lines(title, x_unit, y_unit, series, marks=None):
    """series: name to its points (x, y), both above 0; marks: the x of the axis."""
    height, left, right = 420, 70, 210
    points = [point for each in series.values() for point in each]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    low_x, high_x, low_y, high_y = min(xs), max(max(xs), min(xs) * 1.01), min(ys) * 0.9, max(ys) * 1.1
    bottom = height - 46

    def at_x(x):
        return left + (WIDTH - left - right) * math.log(x / low_x) / math.log(high_x / low_x)

    def at_y(y):
        return bottom - (bottom - TOP) * math.log(y / low_y) / math.log(high_y / low_y)
    body = []
    for x in marks or ticks(low_x, high_x):
        body.append(f"<path class='grid' d='M{at_x(x):.1f} {TOP}V{bottom}'/>")
        body.append(f"<text class='middle' x='{at_x(x):.1f}' y='{bottom + 16}'>{x:,.0f}</text>")
    for y in ticks(low_y, high_y):
        body.append(f"<path class='grid' d='M{left} {at_y(y):.1f}H{WIDTH - right}'/>")
        body.append(f"<text class='right' x='{left - 8}' y='{at_y(y) + 4:.1f}'>{short(y)}</text>")
    body.append(f"<text class='middle' x='{(left + WIDTH - right) / 2}' y='{height - 10}'>{escape(x_unit)}</text>")
    body.append(f"<text x='8' y='{TOP - 8}'>{escape(y_unit)}</text>")
    ends = {}
    for i, (name, each) in enumerate(series.items()):
        path = 'L'.join(f'{at_x(x):.1f} {at_y(y):.1f}' for x, y in each)
        body.append(f"<path d='M{path}' stroke='{COLOURS.get(name, GREY)}' stroke-width='2'/>")
        body += [f"<circle cx='{at_x(x):.1f}' cy='{at_y(y):.1f}' r='3' fill='{COLOURS.get(name, GREY)}'/>" for x, y in each]
        if len(each) > 1:
            ends[at_y(each[-1][1]) + i * 1e-6] = (name, at_x(each[-1][0]))
        else:  # its name is beside it
            body.append(f"<text x='{at_x(each[0][0]) + 8:.1f}' y='{at_y(each[0][1]) + 4:.1f}' "
                        f"style='fill: {COLOURS.get(name, GREY)}'>{escape(name)}</text>")
    for y, moved in apart(ends, 15).items():
        name, x = ends[y]
        colour = COLOURS.get(name, GREY)
        body.append(f"<path d='M{x + 5:.1f} {y:.1f}L{WIDTH - right + 14} {moved:.1f}' stroke='{colour}' stroke-opacity='.5'/>")
        body.append(f"<text x='{WIDTH - right + 18}' y='{moved + 4:.1f}' style='fill: {colour}'>{escape(name)}</text>")
    said = '; '.join(f'{name} {short(each[0][1])} to {short(each[-1][1])}' for name, each in series.items())
    return frame(height, title, f'{y_unit} for {x_unit}, from the least to the most: {said}.', body)
