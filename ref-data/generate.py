#!/usr/bin/env python3
"""Writes the reference data of the sine-wave mesh. Standard library only.

    python3 ref-data/generate.py [FOLDER]            all files of the table below, into FOLDER (default: beside this script)
    python3 ref-data/generate.py WxH TIME FILE       one file

Format: raw little-endian f32, four per vertex (u, height, v, 1), row by row.
Formula: u = i / width * 2 - 1 and v = j / height * 2 - 1 in f32 arithmetic (one rounding per operation), and
height = sin(4 u + time) * cos(4 v + time) * 0.5 in f64 from the f32 values of u, v and time, rounded to f32 at the end.
"""

import array
import math
import pathlib
import struct
import sys

FREQUENCY = 4.0
AMPLITUDE = 0.5

# name, width, height, time
FILES = [
    ("ref_simpleGL.bin", 256, 256, 0.0),
    ("ref_1x1_t0.bin", 1, 1, 0.0),
    ("ref_7x5_t0.bin", 7, 5, 0.0),
    ("ref_250x130_t1.5.bin", 250, 130, 1.5),
    ("ref_257x255_t6.2.bin", 257, 255, 6.2),
]


def f32(value):
    """The f32 nearest to a f64."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def position(i, n):
    """i / n * 2 - 1, each operation rounded to f32 (the product with 2 is exact)."""
    return f32(f32(i / n) * 2.0 - 1.0)


def mesh(width, height, time):
    """All vertices as one array of f32."""
    time = f32(time)
    columns = [position(i, width) for i in range(width)]
    sines = [math.sin(FREQUENCY * u + time) for u in columns]
    values = array.array("f")
    for j in range(height):
        v = position(j, height)
        cosine = math.cos(FREQUENCY * v + time)
        for u, sine in zip(columns, sines):
            values.extend((u, sine * cosine * AMPLITUDE, v, 1.0))
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


def main(arguments):
    if len(arguments) == 3:
        width, height = (int(side) for side in arguments[0].split("x"))
        pathlib.Path(arguments[2]).write_bytes(mesh(width, height, float(arguments[1])))
    elif len(arguments) <= 1:
        folder = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).parent
        for name, width, height, time in FILES:
            (folder / name).write_bytes(mesh(width, height, time))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
