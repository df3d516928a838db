"""The characters docparse-nano can write, and the rule that brings any text to them.

Token ids: 0 is padding and the CTC blank, 1 begins a line, 2 ends it, the characters follow in the order of CHARS.
The order is part of the weights: new characters go to the end.
"""
import unicodedata

BLANK, BOS, EOS, FIRST = 0, 1, 2, 3

_RANGES = (
    [chr(c) for c in range(0x20, 0x7F)]
    + [chr(c) for c in range(0xA1, 0x180) if c != 0xAD]
    + list('–—‘’“”„‚…•†‡‰‹›€™−≤≥≠≈∞√∑∏∫∂∈∉∩∪⊂⊆∀∃∇∅→←↑↓↔⇒⇔∙□■▪●○◦★☆✓✗✔′″№℃')
    + [chr(c) for c in range(0x391, 0x3CA) if c != 0x3A2]
    + list('⅓⅔₀₁₂₃⁴⁵ⁿ')
    + [chr(c) for c in range(0x410, 0x450)]
    + list('ЁёЂЄєІіЇїЈЉЊЋЎўЏђјљњћџҐґ')
    # added after the first run
    + list('ΆΈΉΊΌΎΏϊϋόύώϑϕϵ')
    + list('ЃЌЅѓќѕЀЍѐѝ')
    + list('ȘșȚțẞơƠưƯ')
    + list('⁰⁶⁷⁸⁹⁺⁻₄₅₆₇₈₉')
    + list('₤₦₩₪₫₱₴₹₺₽₿¢'.replace('¢', ''))
    + list('∓∝∠∥⊥∧∨≡≪≫⊃⊇⊕⊗∘∼≅ℓℝℕℤℂ∆Å'.replace('Å', ''))
    + list('▲▼►◄◆◇☐☑☒✕❖§'.replace('§', ''))
    + list('‖‱※⁄℅℠℗℞')
)
CHARS = list(dict.fromkeys(_RANGES))
ID = {c: i + FIRST for i, c in enumerate(CHARS)}
VOCABULARY = (FIRST + len(CHARS) + 7) // 8 * 8  # padded, so that matrix kernels need no tail

# What looks the same is written the same: spaces, hyphens, compatibility forms.
_SAME = {ord(a): b for a, b in (
    ('\u00a0', ' '), ('\u2002', ' '), ('\u2003', ' '), ('\u2009', ' '), ('\u200a', ' '), ('\u202f', ' '), ('\u2007', ' '), ('\t', ' '),
    ('\u2010', '-'), ('\u2011', '-'), ('\u2012', '–'), ('\u2015', '—'), ('\u00ad', None), ('\u200b', None), ('\ufeff', None), ('\u200e', None),
    ('\u2126', 'Ω'), ('\u212b', 'Å'), ('\u00b5', 'μ'), ('\u201b', '‘'), ('\u201f', '“'), ('\u2024', '.'), ('\u2027', '·'),
    ('\u22c5', '·'), ('\u2219', '·'), ('\ufb00', 'ff'), ('\ufb01', 'fi'), ('\ufb02', 'fl'),
    ('\ufb03', 'ffi'), ('\ufb04', 'ffl'), ('\u0132', 'IJ'), ('\u0133', 'ij'), ('\u2206', 'Δ'), ('\u02bc', '’'), ('\u2215', '/'), ('\u2044', '/'))}


def normalise(text):
    """NFC, one form for look-alikes, single spaces; characters outside CHARS stay for the caller to judge."""
    return ' '.join(unicodedata.normalize('NFC', text).translate(_SAME).split())


def known(text):
    return all(c in ID for c in text)


def encode(text):
    return [ID[c] for c in text]


def decode(ids):
    """Characters up to the end sign."""
    out = []
    for i in ids:
        if i == EOS:
            break
        if FIRST <= i < FIRST + len(CHARS):
            out.append(CHARS[i - FIRST])
    return ''.join(out)


def collapse(ids):
    """CTC: repeated frames count once, blanks vanish."""
    out, last = [], BLANK
    for i in ids:
        if i != last and i >= FIRST:
            out.append(i)
        last = i
    return out
