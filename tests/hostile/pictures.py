"""Pictures for the hostile documents."""


def jpeg(width, height, seed=0):
    """A baseline JPEG, grey, one flat value for each block of 8 x 8: rows that look like lines of print.
    Both sides must be multiples of 8.  From ITU-T T.81; all Huffman codes of one length."""
    assert width % 8 == 0 and height % 8 == 0
    dc = bytes([0, 0, 0, 12] + [0] * 12) + bytes(range(12))  # categories 0..11, four bits each
    ac = bytes([1] + [0] * 15) + b'\0'  # end of block is one 0 bit
    out = bytearray(b'\xff\xd8')

    def segment(marker, data):
        nonlocal out
        out += b'\xff' + bytes([marker]) + (len(data) + 2).to_bytes(2, 'big') + data

    segment(0xdb, b'\0' + b'\x08' * 64)
    segment(0xc0, b'\x08' + height.to_bytes(2, 'big') + width.to_bytes(2, 'big') + b'\x01\x01\x11\0')
    segment(0xc4, b'\0' + dc)
    segment(0xc4, b'\x10' + ac)
    segment(0xda, b'\x01\x01\0\0\x3f\0')
    bits, last, state = [], 0, seed + 1
    for row in range(height // 8):
        for col in range(width // 8):
            state = (state * 1103515245 + 12345) & 0x7fffffff
            ink = row % 3 == 1 and 12 <= row < height // 8 - 12 and 15 <= col < width // 8 - 15 and (state >> 16) % 5
            value = -100 if ink else 120
            diff, last = value - last, value
            size = abs(diff).bit_length()
            bits.append(format(size, '04b') + (format(diff if diff > 0 else diff + (1 << size) - 1, '0%db' % size) if size else '') + '0')
    stream = ''.join(bits)
    stream += '1' * (-len(stream) % 8)
    data = int(stream, 2).to_bytes(len(stream) // 8, 'big')
    return bytes(out) + data.replace(b'\xff', b'\xff\0') + b'\xff\xd9'


def near_white(width, height):
    """Rows of grey paper with the noise of a scanner."""
    out, state = bytearray(), 3
    for _ in range(width * height):
        state = (state * 1103515245 + 12345) & 0x7fffffff
        out.append(250 + (state >> 16) % 6)
    return bytes(out)


def striped(width, height):
    """A picture that is clearly one: diagonal bands."""
    return bytes(40 + (x + 2 * y) // 9 % 5 * 45 for y in range(height) for x in range(width))
