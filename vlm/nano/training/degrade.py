"""From ink to what a scanner gives: print, page geometry, optics, paper, sensor, fax and JPEG, in that order.

Strengths follow published degradation models (Baird 1992; Tesseract's degradeimage; Kanungo 1993; ocrodeg) and the four
grades scanned pages are judged by here: clean 300 dpi, office 200 dpi JPEG, photographed 150 dpi, fax 200 dpi.
"""
import io

import numpy as np
from PIL import Image, ImageFilter

from model import COLUMNS, HEIGHT

MAX_WIDTH = 1408
BAYER = (np.array(((0, 8, 2, 10), (12, 4, 14, 6), (3, 11, 1, 9), (15, 7, 13, 5)), np.float32) + .5) / 16


def geometry(drawing, r):
    """Small rotation, slant and stretch of the whole drawing, then the crop (f32 0..1, 1 is ink)."""
    image = Image.fromarray(drawing.ink)
    x0, y0, x1, y1 = drawing.box
    w, h = x1 - x0, y1 - y0
    angle = float(np.clip(r.normal(0, .006), -.02, .02)) if r.random() < .45 else 0.
    slant = r.uniform(-.15, .15) if r.random() < .08 else 0.
    if angle or slant:
        cx, cy = (x0 + x1) / 2, (y0 + y1) / 2
        # output point -> input point: rows follow the angle, columns the slant
        image = image.transform(image.size, Image.AFFINE, (1, slant, -slant * cy, angle, 1, -angle * cx), Image.BILINEAR)
    rise = abs(angle) * w / 2
    lean = abs(slant) * h / 2
    em = drawing.size
    if h < .45 * em and r.random() < .55:
        # a dash or a dot alone is not blown up to the height of a line
        y0, y1 = drawing.body
        h = y1 - y0
    k = r.random()
    if k < .3:
        # as the line finder of layout/scan_crop.c does: at least the height of capitals and descenders, an em's tenth around
        known = r.uniform(.92, 1.1)
        a, b = drawing.body
        y0, y1 = min(y0, (a + b) / 2 - (b - a) / 2 * known), max(y1, (a + b) / 2 + (b - a) / 2 * known)
        h = y1 - y0
        top, bottom = r.uniform(.03, .13) * em, r.uniform(.03, .13) * em
        left, right = r.uniform(.2, .34) * em, r.uniform(.2, .34) * em
    elif k < .75:
        top, bottom = r.uniform(.02, .14) * h, r.uniform(.01, .12) * h
        left, right = r.uniform(.02, .35) * em, r.uniform(.02, .35) * em
    else:
        top, bottom = r.uniform(-.02, .35) * em, r.uniform(-.02, .35) * em
        left, right = r.uniform(0, .9) * em, r.uniform(0, .9) * em
    least = .16 * em
    if h + top + bottom < least:
        top = bottom = least / 2
    crop = (int(max(0, x0 - left - lean)), int(max(0, y0 - top - rise * .8)), int(min(image.width, np.ceil(x1 + right + lean))), int(min(image.height, np.ceil(y1 + bottom + rise * .8))))
    return image.crop(crop)


def screen(shape, r):
    """A dot screen between 0 and 1 (halftone grounds)."""
    pitch, angle = r.uniform(2.2, 6) if r.random() < .6 else r.uniform(4, 10), r.choice((0., np.pi / 4, .26))
    y, x = np.mgrid[:shape[0], :shape[1]].astype(np.float32)
    u, v = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    return (np.cos(u * (2 * np.pi / pitch)) + np.cos(v * (2 * np.pi / pitch))) / 4 + .5


def blotch(shape, r, scale):
    """Smooth noise, mean 0, deviation 1."""
    small = r.standard_normal((max(2, int(shape[0] / scale)), max(2, int(shape[1] / scale)))).astype(np.float32)
    return np.asarray(Image.fromarray(small).resize((shape[1], shape[0]), Image.BICUBIC))


def printing(x, r):
    """Ink spread, thin strokes, drop-outs: a threshold through blurred coverage moves edges by less than a pixel."""
    k = r.random()
    if k < .22:
        soft = np.asarray(Image.fromarray((x * 255).astype(np.uint8)).filter(ImageFilter.GaussianBlur(r.uniform(.5, 1.1))), np.float32) / 255
        cut = r.uniform(.22, .5) if r.random() < .7 else r.uniform(.5, .62)
        moved = np.clip((soft - cut) * r.uniform(2.5, 8) + .5, 0, 1)
        if moved.sum() > .5 * x.sum():  # thin faces must not vanish
            x = moved
    elif k < .24:
        x = needles(x, r)
    if r.random() < .08:
        x = x * (blotch(x.shape, r, r.uniform(1.5, 5)) < r.uniform(1.1, 2.2))
    return x


def needles(x, r):
    """A dot printer's: strokes on a coarse grid, a round dot at each place."""
    pitch = max(2, int(round(x.shape[0] / r.uniform(10, 15))))
    rows, columns = x.shape[0] // pitch + 1, x.shape[1] // pitch + 1
    coarse = np.asarray(Image.fromarray((np.pad(x, ((0, rows * pitch - x.shape[0]), (0, columns * pitch - x.shape[1]))) * 255).astype(np.uint8)).resize((columns, rows), Image.BOX), np.float32) / 255
    on = np.kron(coarse > r.uniform(.25, .4), np.ones((pitch, pitch), np.float32))[:x.shape[0], :x.shape[1]]
    v, u = np.mgrid[:x.shape[0], :x.shape[1]].astype(np.float32) % pitch - (pitch - 1) / 2
    return on * np.clip(r.uniform(.4, .75) * pitch + .5 - np.hypot(u, v), 0, 1)


def paper(x, r):
    """Coverage to reflectance: inks, grounds, screens, shadows."""
    ink = r.uniform(0, .12) if r.random() < .7 else r.uniform(.1, .6)
    ground = r.uniform(.96, 1) if r.random() < .78 else r.uniform(.72, .97)
    if ground - ink < .25:
        ink = ground - .25
    y = ground - x * (ground - ink)
    k = r.random()
    if k < .1:
        dots = (screen(x.shape, r) < r.uniform(.15, .5)).astype(np.float32)
        if r.random() < .4:  # a cell or two of a row have a ground
            a, b = np.sort(r.integers(0, x.shape[1], 2))
            dots[:, :a] = 0
            dots[:, b:] = 0
        y = np.minimum(y, 1 - dots * r.uniform(.15, .6) * (1 - .7 * x))
    elif k < .15:
        y = 1 - y
        if r.random() < .5:
            y = np.maximum(y, (screen(x.shape, r) < r.uniform(.2, .45)) * r.uniform(.2, .5))
    elif k < .17:
        y = np.where(x > .5, np.clip(y + .5 * (screen(x.shape, r) > .6), 0, 1), y)
    if r.random() < .2:
        y = y + np.linspace(r.uniform(-.12, .12), r.uniform(-.12, .12), y.shape[1], dtype=np.float32)[None]
    if r.random() < .06:
        y = y * (1 - r.uniform(0, .4) * np.linspace(0, 1, y.shape[0], dtype=np.float32)[:, None] ** 2)
    if r.random() < .05:
        ghost = np.roll(x[:, ::-1], int(r.integers(-9, 9)), 0)
        y = y - r.uniform(.04, .14) * ghost
    if r.random() < .06:
        y = y + blotch(y.shape, r, r.uniform(2, 12)) * r.uniform(.01, .05)
    return y


def dither(y, r):
    """Greys as black and white dots, ordered or by chance: grey inks fall apart into dots, grey grounds get a pattern."""
    if r.random() < .5:
        cut = np.tile(BAYER, (y.shape[0] // 4 + 1, y.shape[1] // 4 + 1))[:y.shape[0], :y.shape[1]]
    else:
        cut = r.random(y.shape)
    veil = r.uniform(0, 125) if r.random() < .7 else 0.  # the ink was grey
    return np.where(veil + y * (1 - veil / 255) > 12 + 225 * cut, 255., 0.)


def sensor(image, r):
    """Resolution, blur, noise, threshold and JPEG at the resolution of the scan."""
    h = image.height
    rows = min(h, 2 ** r.uniform(3.7, 5.6)) if r.random() < .6 else min(h, 64)
    if rows < h:
        wide = r.uniform(.9, 1.12) if r.random() < .25 else 1.
        image = image.resize((max(4, round(image.width * rows / h * wide)), max(10, round(rows))), [Image.BILINEAR, Image.BOX, Image.BICUBIC, Image.HAMMING][r.integers(4)])
    scale = image.height / HEIGHT
    if r.random() < .4:
        image = image.filter(ImageFilter.GaussianBlur(r.uniform(.25, 1.1) * scale))
    if r.random() < .03:
        image = image.filter(ImageFilter.BoxBlur((r.uniform(.5, 1.2) * scale, .1)))
    y = np.asarray(image, np.float32)
    if r.random() < .45:
        y = y + r.standard_normal(y.shape, dtype=np.float32) * r.uniform(2, 16)
    fax = r.random() < .16
    if r.random() < (.5 if fax else .05):
        specks = r.random(y.shape) < 10 ** r.uniform(-3, -1.9)
        y = np.where(specks, r.random(y.shape) * 255, y)
    if fax:
        lo, hi = np.percentile(y, (2, 95))
        if hi - lo > 30:
            y = np.where(y > lo + (hi - lo) * r.uniform(.38, .7), 255, 0)
    elif r.random() < .1:
        y = dither(y, r)
    image = Image.fromarray(np.clip(y, 0, 255).astype(np.uint8))
    return packed(image, r.integers(25, 91)) if r.random() < .33 else image


def packed(image, quality):
    file = io.BytesIO()
    image.save(file, 'JPEG', quality=int(quality))
    image = Image.open(file)
    image.load()
    return image


def graded(image, r):
    """An office scanner's, a camera's or a fax machine's picture, each with all it does at once."""
    k, h = r.random(), image.height
    rows = r.uniform(16, 27) if k < .45 else r.uniform(20, 36)
    if rows < h:
        image = image.resize((max(4, round(image.width * rows / h)), round(rows)), Image.BOX if r.random() < .5 else Image.BILINEAR)
    if k < .45:
        image = image.filter(ImageFilter.GaussianBlur(r.uniform(.45, .95)))
        veil = r.uniform(.04, .2)
        y = np.asarray(image, np.float32) * (1 - veil) + 153 * veil + r.standard_normal((image.height, image.width), dtype=np.float32) * r.uniform(2, 11)
        image = packed(Image.fromarray(np.clip(y, 0, 255).astype(np.uint8)), r.integers(45, 76))
        return image.resize((image.width * 2, image.height * 2), Image.BICUBIC if r.random() < .7 else Image.BILINEAR)
    if k < .7:
        return packed(image, r.integers(32, 60))
    y = np.asarray(image, np.float32)
    y = y + r.standard_normal(y.shape, dtype=np.float32) * r.uniform(3, 40)
    return Image.fromarray(np.where(y > 255 * r.uniform(.5, .68), 255, 0).astype(np.uint8))


def readable(ink, y):
    """Whether what was drawn is still to be seen, dark on light or light on dark."""
    a, b = np.asarray(ink.resize((y.shape[1], HEIGHT), Image.BOX), np.float32), y.astype(np.float32)
    a, b = a - a.mean(), b - b.mean()
    return abs(float((a * b).sum())) > .38 * float(np.sqrt((a * a).sum() * (b * b).sum()))


def view(drawing, r):
    """One view u8 [32, W], W <= MAX_WIDTH, or None where the line would be unreadable.  r is numpy's Generator."""
    image = geometry(drawing, r)
    if image.height < 4 or image.width < 3:
        return None
    big = max(64, HEIGHT * 2)
    if image.height > big:
        image = image.resize((max(3, round(image.width * big / image.height)), big), Image.BOX)
    ink = image
    x = printing(np.asarray(image, np.float32) / 255, r)
    image = Image.fromarray((np.clip(paper(x, r), 0, 1) * 255).astype(np.uint8))
    image = graded(image, r) if r.random() < .14 else sensor(image, r)
    stretch = r.uniform(.8, 1.14) if r.random() < .3 else 1.
    width = max(8, round(image.width * HEIGHT / image.height * stretch))
    if width > MAX_WIDTH or width + COLUMNS < 4.6 * len(drawing.text):
        return None
    y = np.asarray(image.resize((width, HEIGHT), Image.BILINEAR if r.random() < .7 else Image.BICUBIC))
    return y if np.subtract(*np.percentile(y, (99.5, .5))) >= 28 and readable(ink, y) else None


def blank(r):
    """A crop with nothing to read: paper, a rule, specks, a piece of a picture."""
    w = int(r.integers(16, 400))
    y = np.full((HEIGHT, w), r.uniform(180, 255), np.float32)
    k = r.random()
    if k < .25:
        at = int(r.integers(0, HEIGHT - 2))
        y[at:at + int(r.integers(1, 5))] = r.uniform(0, 120)
    elif k < .4:
        y = y - 255 * (blotch(y.shape, r, r.uniform(3, 20)) > r.uniform(.3, 1.5)) * r.uniform(.2, 1)
    elif k < .5:
        y = 255 * screen(y.shape, r)
    elif k < .65:
        y = 128 + blotch(y.shape, r, r.uniform(3, 30)) * r.uniform(10, 60)
    if r.random() < .6:
        y = y + r.standard_normal(y.shape, dtype=np.float32) * r.uniform(1, 20)
    return np.clip(y, 0, 255).astype(np.uint8)
