"""Pictures small enough for a repository: in few colours."""

from __future__ import annotations

from itertools import chain

from PIL import Image

_COMMON, _DISTANT = 8, 32  # colours: grounds, and those that few letters have


def shrink(image: Image.Image) -> Image.Image:
    """The image in the colours of its largest areas and some that are far apart."""
    counted = image.getcolors(image.width * image.height) or []
    common = [colour for _, colour in sorted(counted, reverse=True)[:_COMMON]]
    distant = image.quantize(_DISTANT, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([*chain.from_iterable(common), *distant])
    return image.quantize(palette=palette, dither=Image.Dither.NONE)
