"""A case for each module of the examples: how to build it and its reference, what goes in, what is ragged."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch
from references import elman, lstm1997, lstm_topic, rhn, transformer
from references.parts import Part
from torch import Tensor, nn

Arguments = tuple[Any, ...]  # tensors, and lists of tensors, with one leading batch axis
V, D_IN, D_HID, DEPTH, LAYERS, TOPICS = 7, 3, 5, 3, 2, 4
BLOCKS, CELLS = 3, 2
HEADS = {"d_model": 6, "n_head": 3, "d_k": 4, "d_v": 2}
ENCODER = {"V": V, "d_ff": 5, "n_lyr": LAYERS, "S_max": 9, **HEADS}


@dataclass(frozen=True, eq=False)
class Case:
    """`run(reference, *arguments)` has one batch axis in front and gives what our module gives.

    `inputs(lead, length)` makes arguments with the batch axes `lead`. `ragged` says which arguments, `ragged_results`
    which leaves of the result, have the ragged axis behind the batch axes; both are empty where a module has none.
    `squares` says which of the arguments have it twice.
    """

    spec: str
    module: str
    sizes: dict[str, int]
    reference: Callable[[], nn.Module]
    parts: Callable[[Any], Iterable[Part]]
    inputs: Callable[[tuple[int, ...], int], Arguments]
    run: Callable[..., Any]
    ragged: tuple[int, ...] = (0,)
    ragged_results: tuple[int, ...] = (0,)
    squares: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.spec}.{self.module}"


def _real(*shape: int) -> Tensor:
    return torch.randn(shape, dtype=torch.float64, requires_grad=True)


def _tokens(lead: tuple[int, ...], length: int) -> Tensor:
    return torch.randint(0, V, (*lead, length))


def _states(lead: tuple[int, ...]) -> list[Tensor]:
    return [_real(*lead, D_HID) for _ in range(LAYERS)]


def _memory(lead: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    return _real(*lead, BLOCKS, CELLS), _real(*lead, BLOCKS * CELLS)


def _memories(lead: tuple[int, ...]) -> tuple[list[Tensor], list[Tensor]]:
    return [_memory(lead)[0] for _ in range(LAYERS)], [_memory(lead)[1] for _ in range(LAYERS)]


def _mask(lead: tuple[int, ...], queries: int, keys: int) -> Tensor:
    return torch.rand(*lead, queries, keys) < 0.4


def _attention(lead: tuple[int, ...], length: int) -> Arguments:
    k, q, v = (_real(*lead, size, HEADS["d_model"]) for size in (length, length + 2, length))
    return k, _mask(lead, length + 2, length), q, v


def _run_rhn(reference: nn.Module, x: Tensor, states: list[Tensor] | None = None) -> tuple[Tensor, list[Tensor]]:
    out, last = reference(x.transpose(0, 1), states)  # the seed puts time first
    return out.transpose(0, 1), last


def _call(reference: nn.Module, *arguments: Any) -> Any:
    return reference(*arguments)


CASES = (
    Case(
        "elman",
        "ElmanLayer",
        {"H_in": D_IN, "H_out": D_HID},
        lambda: elman.ElmanLayer(in_feat=D_IN, out_feat=D_HID),
        elman.layer_parts,
        lambda lead, length: (_real(*lead, length, D_IN), _real(*lead, D_HID)),
        _call,
    ),
    Case(
        "elman",
        "ElmanNet",
        {"V": V, "d_emb": D_IN, "d_hid": D_HID, "n_lyr": LAYERS},
        lambda: elman.ElmanNet(V=V, d_emb=D_IN, d_hid=D_HID, n_lyr=LAYERS),
        elman.net_parts,
        lambda lead, length: (_tokens(lead, length), _states(lead)),
        _call,
    ),
    Case(
        "rhn",
        "RHNCell",
        {"d_in": D_IN, "d_hid": D_HID, "D": DEPTH},
        lambda: rhn.RHNCell(D_IN, D_HID, DEPTH),
        rhn.cell_parts,
        lambda lead, _: (_real(*lead, D_IN), _real(*lead, D_HID)),
        _call,
        ragged=(),
        ragged_results=(),
    ),
    Case(
        "rhn",
        "RHN",
        {"d_in": D_IN, "d_hid": D_HID, "D": DEPTH, "n_lyr": LAYERS},
        lambda: rhn.RHN(D_IN, D_HID, DEPTH, LAYERS),
        rhn.net_parts,
        lambda lead, length: (_real(*lead, length, D_IN), _states(lead)),
        _run_rhn,
    ),
    Case(
        "rhn",
        "RHNLM",
        {"V": V, "d_emb": D_IN, "d_hid": D_HID, "D": DEPTH, "n_lyr": LAYERS},
        lambda: rhn.RHNLM(V, D_IN, D_HID, DEPTH, LAYERS),
        rhn.model_parts,
        lambda lead, length: (_tokens(lead, length), _states(lead)),
        _call,
    ),
    Case(
        "lstm_topic",
        "T",
        {"d_x": D_IN, "d_h": D_HID},
        lambda: lstm_topic.T(D_IN, D_HID),
        lstm_topic.map_parts,
        lambda lead, _: (_real(*lead, D_IN), _real(*lead, D_HID)),
        _call,
        ragged=(),
        ragged_results=(),
    ),
    Case(
        "lstm_topic",
        "LSTM",
        {"V": V, "d_x": D_IN, "d_h": D_HID, "C": TOPICS},
        lambda: lstm_topic.LSTM(V, D_IN, D_HID, TOPICS),
        lstm_topic.model_parts,
        lambda lead, length: (_tokens(lead, length),),
        _call,
        ragged_results=(),
    ),
    Case(
        "lstm1997",
        "LSTM1997Layer",
        {"H_in": D_IN, "n_blk": BLOCKS, "d_blk": CELLS},
        lambda: lstm1997.LSTM1997Layer(in_feat=D_IN, n_blk=BLOCKS, d_blk=CELLS),
        lstm1997.layer_parts,
        lambda lead, length: (_real(*lead, length, D_IN), *_memory(lead)),
        _call,
        ragged_results=(0, 1),
    ),
    Case(
        "lstm1997",
        "LSTM1997",
        {"V": V, "d_emb": D_IN, "n_blk": BLOCKS, "d_blk": CELLS, "n_lyr": LAYERS},
        lambda: lstm1997.LSTM1997(V=V, d_emb=D_IN, n_blk=BLOCKS, d_blk=CELLS, n_lyr=LAYERS),
        lstm1997.net_parts,
        lambda lead, length: (_tokens(lead, length), *_memories(lead)),
        _call,
    ),
    Case(
        "transformer",
        "MultiHeadAttn",
        HEADS,
        lambda: transformer.MultiHeadAttnLayer(**HEADS),
        transformer.attention_parts,
        _attention,
        _call,
        ragged=(),  # it has two run-time sizes, which have a test of their own
        ragged_results=(),
    ),
    Case(
        "transformer",
        "TransEncLayer",
        {"d_ff": 5, **HEADS},
        lambda: transformer.TransEncLayer(d_ff=5, **HEADS),
        transformer.layer_parts,
        lambda lead, length: (_mask(lead, length, length), _real(*lead, length, HEADS["d_model"])),
        _call,
        ragged=(0, 1),
        squares=(0,),
    ),
    Case(
        "transformer",
        "TransEnc",
        ENCODER,
        lambda: transformer.TransEnc(**ENCODER),
        transformer.net_parts,
        lambda lead, length: (_tokens(lead, length),),
        _call,
        ragged_results=(0, 1),
    ),
)
RAGGED_CASES = tuple(case for case in CASES if case.ragged)
