"""TrueType files: metrics, subsets for embedding, outlines as pixels.  Standard library only.

From Apple's and Microsoft's TrueType specification; only what the samples need: glyf
outlines, cmap format 4, composite glyphs.
"""
import struct


class TrueType:
    def __init__(self, path):
        with open(path, 'rb') as f: self.data = f.read()
        self.tables = {}
        for i in range(self.u16(4)):
            tag, _, offset, length = struct.unpack_from('>4sIII', self.data, 12 + 16 * i)
            self.tables[tag.decode()] = self.data[offset:offset + length]
        head = self.tables['head']
        self.units = struct.unpack_from('>H', head, 18)[0]
        self.scale = 1000 / self.units
        self.bbox = [round(v * self.scale) for v in struct.unpack_from('>4h', head, 36)]
        style = struct.unpack_from('>H', head, 44)[0]
        self.bold, self.italic = bool(style & 1), bool(style & 2)
        hhea = self.tables['hhea']
        self.ascent, self.descent = (round(v * self.scale) for v in struct.unpack_from('>2h', hhea, 4))
        self.n_metrics = struct.unpack_from('>H', hhea, 34)[0]
        self.n_glyphs = struct.unpack_from('>H', self.tables['maxp'], 4)[0]
        wide = struct.unpack_from('>h', head, 50)[0]
        loca = self.tables['loca']
        self.loca = struct.unpack('>%dI' % (self.n_glyphs + 1), loca[:4 * self.n_glyphs + 4]) if wide else [
            2 * v for v in struct.unpack('>%dH' % (self.n_glyphs + 1), loca[:2 * self.n_glyphs + 2])]
        self.cmap = self.read_cmap()
        self.name = path.rsplit('/', 1)[1].rsplit('.', 1)[0]

    def u16(self, at): return struct.unpack_from('>H', self.data, at)[0]

    def read_cmap(self):
        table, out = self.tables['cmap'], {}
        for i in range(struct.unpack_from('>H', table, 2)[0]):
            platform, encoding, offset = struct.unpack_from('>HHI', table, 4 + 8 * i)
            if (platform, encoding) != (3, 1) or struct.unpack_from('>H', table, offset)[0] != 4: continue
            n = struct.unpack_from('>H', table, offset + 6)[0] // 2
            at = offset + 14
            ends = struct.unpack_from('>%dH' % n, table, at)
            starts = struct.unpack_from('>%dH' % n, table, at + 2 * n + 2)
            deltas = struct.unpack_from('>%dH' % n, table, at + 4 * n + 2)
            ranges = struct.unpack_from('>%dH' % n, table, at + 6 * n + 2)
            for k in range(n):
                for code in range(starts[k], min(ends[k], 0xfffe) + 1):
                    if ranges[k]:
                        gid = struct.unpack_from('>H', table, at + 6 * n + 2 + 2 * k + ranges[k] + 2 * (code - starts[k]))[0]
                        gid = (gid + deltas[k]) & 0xffff if gid else 0
                    else: gid = (code + deltas[k]) & 0xffff
                    if gid: out[code] = gid
        return out

    def gid(self, char):
        if ord(char) not in self.cmap: raise KeyError('%s has no glyph for %r' % (self.name, char))
        return self.cmap[ord(char)]

    def metrics(self, gid):
        hmtx = self.tables['hmtx']
        if gid < self.n_metrics: return struct.unpack_from('>Hh', hmtx, 4 * gid)
        advance = struct.unpack_from('>H', hmtx, 4 * (self.n_metrics - 1))[0]
        return advance, struct.unpack_from('>h', hmtx, 4 * self.n_metrics + 2 * (gid - self.n_metrics))[0]

    def advance(self, char): return round(self.metrics(self.gid(char))[0] * self.scale)

    def glyph(self, gid): return self.tables['glyf'][self.loca[gid]:self.loca[gid + 1]]

    @staticmethod
    def components(data):
        """(offset of the glyph index, flags, place of dx and dy) of a composite glyph's parts."""
        if len(data) < 10 or struct.unpack_from('>h', data)[0] >= 0: return
        at = 10
        while True:
            flags = struct.unpack_from('>H', data, at)[0]
            yield at + 2, flags, at + 4
            at += 8 if flags & 1 else 6
            at += 2 if flags & 8 else 4 if flags & 0x40 else 8 if flags & 0x80 else 0
            if not flags & 0x20: return

    def subset(self, chars):
        """Font file with .notdef and these characters as glyphs 1, 2, ...; no cmap."""
        old = [0] + [self.gid(c) for c in chars]
        new = {}
        for i, g in enumerate(old): new.setdefault(g, i)
        glyphs, i = [], 0
        while i < len(old):
            data = bytearray(self.glyph(old[i]))
            for at, _, _ in self.components(data):
                part = struct.unpack_from('>H', data, at)[0]
                if part not in new:
                    new[part] = len(old)
                    old.append(part)
                struct.pack_into('>H', data, at, new[part])
            glyphs.append(bytes(data) + b'\0' * (-len(data) % 4))
            i += 1
        loca, at = [0], 0
        for g in glyphs:
            at += len(g)
            loca.append(at)
        head = bytearray(self.tables['head'])
        struct.pack_into('>I', head, 8, 0)
        struct.pack_into('>h', head, 50, 1)
        hhea = bytearray(self.tables['hhea'])
        struct.pack_into('>H', hhea, 34, len(old))
        maxp = bytearray(self.tables['maxp'])
        struct.pack_into('>H', maxp, 4, len(old))
        tables = {'glyf': b''.join(glyphs), 'head': bytes(head), 'hhea': bytes(hhea), 'hmtx': b''.join(struct.pack('>Hh', *self.metrics(g)) for g in old),
                  'loca': struct.pack('>%dI' % len(loca), *loca), 'maxp': bytes(maxp)}
        for tag in ('cvt ', 'fpgm', 'prep'):
            if tag in self.tables: tables[tag] = self.tables[tag]
        return pack(tables)

    # ---- outlines ----------------------------------------------------------------------------

    def contours(self, gid, dx=0, dy=0):
        """Closed polygons in font units, curves flattened."""
        data = self.glyph(gid)
        if not data: return []
        out = []
        for at, flags, place in self.components(data):
            x, y = struct.unpack_from('>hh' if flags & 1 else '>bb', data, place)
            out += self.contours(struct.unpack_from('>H', data, at)[0], dx + x, dy + y)
        if out: return out
        n = struct.unpack_from('>h', data)[0]
        ends = struct.unpack_from('>%dH' % n, data, 10)
        at = 10 + 2 * n
        at += 2 + struct.unpack_from('>H', data, at)[0]
        flags, count = [], ends[-1] + 1
        while len(flags) < count:
            f = data[at]
            at += 1
            repeat = 1
            if f & 8:
                repeat += data[at]
                at += 1
            flags += [f] * repeat
        coords = []
        for short, same in ((2, 16), (4, 32)):
            v, axis = 0, []
            for f in flags[:count]:
                if f & short:
                    v += data[at] if f & same else -data[at]
                    at += 1
                elif not f & same:
                    v += struct.unpack_from('>h', data, at)[0]
                    at += 2
                axis.append(v)
            coords.append(axis)
        start = 0
        for end in ends:
            pts = [(coords[0][i] + dx, coords[1][i] + dy, flags[i] & 1) for i in range(start, end + 1)]
            out.append(flatten(pts))
            start = end + 1
        return out


def flatten(pts):
    full = []
    for i, p in enumerate(pts):
        q = pts[(i + 1) % len(pts)]
        full.append(p)
        if not p[2] and not q[2]: full.append(((p[0] + q[0]) / 2, (p[1] + q[1]) / 2, 1))
    first = next(i for i, p in enumerate(full) if p[2])
    full = full[first:] + full[:first] + [full[first]]
    out, i = [full[0][:2]], 1
    while i < len(full):
        if full[i][2]:
            out.append(full[i][:2])
            i += 1
        else:
            (x0, y0), (x1, y1, _), (x2, y2, _) = out[-1], full[i], full[i + 1]
            for k in range(1, 5):
                t = k / 4
                out.append(((1 - t) ** 2 * x0 + 2 * t * (1 - t) * x1 + t * t * x2, (1 - t) ** 2 * y0 + 2 * t * (1 - t) * y1 + t * t * y2))
            i += 2
    return out


def pack(tables):
    n = len(tables)
    power = 1
    while power * 2 <= n: power *= 2
    out = bytearray(struct.pack('>IHHHH', 0x10000, n, power * 16, power.bit_length() - 1, (n - power) * 16))
    at, body = 12 + 16 * n, bytearray()
    for tag in sorted(tables):
        data = tables[tag] + b'\0' * (-len(tables[tag]) % 4)
        check = sum(struct.unpack('>%dI' % (len(data) // 4), data)) & 0xffffffff
        out += struct.pack('>4sIII', tag.encode(), check, at + len(body), len(tables[tag]))
        body += data
    return bytes(out + body)


class Raster:
    """Black on white, one bit a pixel: what a scanner makes of a page."""

    def __init__(self, width, height):
        self.width, self.height = width, height
        self.rows = [bytearray(width) for _ in range(height)]

    def polygons(self, contours):
        """Fills by the non-zero winding rule; points in pixels, y down."""
        crossings = {}
        for pts in contours:
            for (x0, y0), (x1, y1) in zip(pts, pts[1:] + pts[:1]):
                if y0 == y1: continue
                way = 1 if y1 > y0 else -1
                if way < 0: x0, y0, x1, y1 = x1, y1, x0, y0
                for y in range(max(0, int(y0 + 0.5)), min(self.height, int(y1 + 0.5))):
                    crossings.setdefault(y, []).append((x0 + (y + 0.5 - y0) * (x1 - x0) / (y1 - y0), way))
        for y, xs in crossings.items():
            xs.sort()
            winding = 0
            for (x, way), (nxt, _) in zip(xs, xs[1:]):
                winding += way
                if winding:
                    a, b = max(0, int(x + 0.5)), min(self.width, int(nxt + 0.5))
                    if b > a: self.rows[y][a:b] = b'\1' * (b - a)

    def text(self, x, y, face, pixels, text):
        """One line; pixels: em size.  Returns the x behind it."""
        s = pixels / face.units
        for c in text:
            gid = face.gid(c)
            self.polygons([[(x + px * s, y - py * s) for px, py in pts] for pts in face.contours(gid)])
            x += face.metrics(gid)[0] * s
        return x

    def packed(self):
        """Rows of bits, 1 = white."""
        out = bytearray()
        for row in self.rows:
            bits = ''.join('0' if v else '1' for v in row) + '1' * (-self.width % 8)
            out += int(bits, 2).to_bytes(len(bits) // 8, 'big')
        return bytes(out)
