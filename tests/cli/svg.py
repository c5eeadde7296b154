"""What a picture of `scant plot` shows: its points, its shaded ground, and where they are."""
import base64
import re
import struct
import xml.etree.ElementTree as xml
import zlib

import numpy

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"


def read(path):
    return xml.parse(path).getroot()


def points(root, sign, plot):
    """Places of a plot's points with this sign of gnuplot's, those of the key left out: it comes last."""
    part = next(g for g in root.iter(SVG + "g") if g.get("id") == f"gnuplot_plot_{plot}")
    places = [re.match(r"translate\(([-\d.]+),([-\d.]+)\)", use.get("transform")).groups()
              for use in part.iter(SVG + "use") if use.get(LINK) == f"#gpPt{sign}"]
    return numpy.array(places, float)


def png(data):
    """The pixels of an 8-bit RGBA picture, height x width x 4."""
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colours, *rest = struct.unpack(">IIBBBBB", data[at + 8:at + 21])
            assert (depth, colours, rest[2]) == (8, 6, 0)
        packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    lines = numpy.frombuffer(zlib.decompress(packed), numpy.uint8).reshape(height, 1 + 4 * width)
    out = numpy.zeros((height + 1, width + 1, 4), int)  # a frame of zeros above and on the left
    for i, line in enumerate(lines):
        for j, value in enumerate(line[1:].reshape(width, 4).astype(int)):
            left, up, corner = out[i + 1, j], out[i, j + 1], out[i, j]
            guess = left + up - corner
            nearest = numpy.where((abs(guess - left) <= abs(guess - up)) & (abs(guess - left) <= abs(guess - corner)),
                                  left, numpy.where(abs(guess - up) <= abs(guess - corner), up, corner))
            add = [0, left, up, (left + up) // 2, nearest][line[0]]
            out[i + 1, j + 1] = (value + add) % 256
    return out[1:, 1:]


def ground(root):
    """Pixels of the shaded ground, and the places of their centres across and down."""
    image = next(root.iter(SVG + "image"))
    pixels = png(base64.b64decode(image.get(LINK).split(",", 1)[1]))
    x, y, width, height = (float(image.get(name)) for name in ("x", "y", "width", "height"))
    high, wide = pixels.shape[:2]
    return pixels, x + width * (numpy.arange(wide) + 0.5) / wide, y + height * (numpy.arange(high) + 0.5) / high


def scale(seen, known):
    """The straight line from places in the picture to numbers: slope, offset; they must lie on it."""
    slope, offset = numpy.polyfit(seen, known, 1)
    assert abs(slope * seen + offset - known).max() < 0.01 * numpy.ptp(known)
    return slope, offset
