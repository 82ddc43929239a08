"""The specs: what the issue's table promises of them, and the generated files beside them."""

from __future__ import annotations

import inspect

import pytest
import torch
from examples_loader import EXAMPLES, SPECS, build_example, load_example

import mathdsl

REQUIRED = inspect.Parameter.empty
INITIAL = {"init_lower": -0.1, "init_upper": 0.1}
GATES = {"init_ib": -1, "init_ob": -1}

SIGNATURES = {
    ("elman", "ElmanLayer"): {"H_in": REQUIRED, "H_out": REQUIRED, **INITIAL},
    ("elman", "ElmanNet"): {
        "V": REQUIRED,
        "d_emb": REQUIRED,
        "d_hid": REQUIRED,
        "n_lyr": REQUIRED,
        "p_emb": 0,
        "p_hid": 0,
        **INITIAL,
        "pad": 0,
    },
    ("rhn", "RHNCell"): {"d_in": REQUIRED, "d_hid": REQUIRED, "D": REQUIRED},
    ("rhn", "RHN"): {"d_in": REQUIRED, "d_hid": REQUIRED, "D": REQUIRED, "n_lyr": REQUIRED},
    ("rhn", "RHNLM"): {"V": REQUIRED, "d_emb": REQUIRED, "d_hid": REQUIRED, "D": REQUIRED, "n_lyr": REQUIRED},
    ("lstm1997", "LSTM1997Layer"): {"H_in": REQUIRED, "n_blk": REQUIRED, "d_blk": REQUIRED, **INITIAL, **GATES},
    ("lstm1997", "LSTM1997"): {
        "V": REQUIRED,
        "d_emb": REQUIRED,
        "n_blk": REQUIRED,
        "d_blk": REQUIRED,
        "n_lyr": REQUIRED,
        "p_emb": 0,
        "p_hid": 0,
        **INITIAL,
        **GATES,
        "pad": 0,
    },
    ("lstm_topic", "T"): {"d_x": REQUIRED, "d_h": REQUIRED},
    ("lstm_topic", "LSTM"): {"V": REQUIRED, "d_x": REQUIRED, "d_h": REQUIRED, "C": REQUIRED},
}

FORWARD = {
    ("elman", "ElmanLayer"): (["x", "h_0"], ["h_0"]),
    ("elman", "ElmanNet"): (["x", "h_0"], ["h_0"]),
    ("rhn", "RHNCell"): (["x", "s"], []),
    ("rhn", "RHN"): (["x", "s_0"], ["s_0"]),
    ("rhn", "RHNLM"): (["x", "s_0"], ["s_0"]),
    ("lstm1997", "LSTM1997Layer"): (["x", "c_0", "h_0"], ["c_0", "h_0"]),
    ("lstm1997", "LSTM1997"): (["x", "c_0", "h_0"], ["c_0", "h_0"]),
    ("lstm_topic", "T"): (["x", "h"], []),
    ("lstm_topic", "LSTM"): (["S"], []),
    ("transformer", "MultiHeadAttn"): (["k", "mask", "q", "v"], []),
    ("transformer", "PosEnc"): (["S"], []),
    ("transformer", "TransEncLayer"): (["mask", "x"], []),
    ("transformer", "TransEnc"): (["x", "c"], ["c"]),
}

_SIZES = {"n_head": REQUIRED, "d_k": REQUIRED, "d_v": REQUIRED}
SIGNATURES |= {
    ("transformer", "MultiHeadAttn"): {"d_model": REQUIRED, **_SIZES, **INITIAL},
    ("transformer", "PosEnc"): {"S_max": REQUIRED, "d_model": REQUIRED},
    ("transformer", "TransEncLayer"): {"d_model": REQUIRED, "d_ff": REQUIRED, **_SIZES, "p": 0, **INITIAL},
    ("transformer", "TransEnc"): {
        "V": REQUIRED,
        "d_model": REQUIRED,
        "d_ff": REQUIRED,
        **_SIZES,
        "n_lyr": REQUIRED,
        "S_max": REQUIRED,
        "p": 0,
        **INITIAL,
        "pad": 0,
    },
}

_CELL = {"W_h": (5, 3), "W_g": (5, 3), "R_h": (2, 5, 5), "R_g": (2, 5, 5), "b_h": (2, 5), "b_g": (2, 5)}
_UPPER_CELL = {**_CELL, "W_h": (5, 5), "W_g": (5, 5)}
_NET = {**{f"f.0.{key}": shape for key, shape in _CELL.items()}, **{f"f.1.{key}": shape for key, shape in _UPPER_CELL.items()}}
_MAP = {"W_x": (5, 3), "W_h": (5, 5), "b": (5,)}
_LAYER = {"W": (5, 5), "U": (5, 5), "b": (5,)}


_HEADS = {"W_Q": (2, 3, 8), "W_K": (2, 3, 8), "W_V": (2, 4, 8), "W_O": (8, 8)}
_NORMS = {f"{norm}.{name}": (8,) for norm in ("layer_norm", "layer_norm_2") for name in ("weight", "bias")}
_TRANSFORMER_LAYER = {f"multi_head_attn.{key}": shape for key, shape in _HEADS.items()} | {
    "W_1": (5, 8),
    "b_1": (5,),
    "W_2": (8, 5),
    "b_2": (8,),
    **_NORMS,
}


def _blocks(width: int) -> dict[str, tuple[int, ...]]:
    gates = {f"{name}_{gate}": shape for gate in "io" for name, shape in (("W", (2, width)), ("U", (2, 6)), ("b", (2,)))}
    return gates | {"W": (2, 3, width), "U": (2, 3, 6), "b": (2, 3)}


STATES = [
    ("elman", "ElmanLayer", {"H_in": 3, "H_out": 5}, {"W": (5, 3), "U": (5, 5), "b": (5,)}),
    (
        "elman",
        "ElmanNet",
        {"V": 7, "d_emb": 3, "d_hid": 5, "n_lyr": 2},
        {"E": (7, 3), "W_h": (5, 3), "b_h": (5,), "W_z": (3, 5), "b_z": (3,)}
        | {f"f.{n}.{key}": shape for n in (0, 1) for key, shape in _LAYER.items()},
    ),
    ("rhn", "RHNCell", {"d_in": 3, "d_hid": 5, "D": 2}, _CELL),
    ("rhn", "RHN", {"d_in": 3, "d_hid": 5, "D": 2, "n_lyr": 2}, _NET),
    (
        "rhn",
        "RHNLM",
        {"V": 7, "d_emb": 3, "d_hid": 5, "D": 2, "n_lyr": 2},
        {"E.weight": (7, 3)} | {f"f.{key}": shape for key, shape in _NET.items()} | {"Linear.weight": (7, 5), "Linear.bias": (7,)},
    ),
    ("lstm1997", "LSTM1997Layer", {"H_in": 4, "n_blk": 2, "d_blk": 3}, _blocks(4)),
    (
        "lstm1997",
        "LSTM1997",
        {"V": 7, "d_emb": 4, "n_blk": 2, "d_blk": 3, "n_lyr": 2},
        {"E": (7, 4), "W_h": (6, 4), "b_h": (6,), "W_z": (4, 6), "b_z": (4,)}
        | {f"f.{n}.{key}": shape for n in (0, 1) for key, shape in _blocks(6).items()},
    ),
    ("transformer", "MultiHeadAttn", {"d_model": 8, "n_head": 2, "d_k": 3, "d_v": 4}, _HEADS),
    ("transformer", "PosEnc", {"S_max": 5, "d_model": 8}, {}),
    ("transformer", "TransEncLayer", {"d_model": 8, "d_ff": 5, "n_head": 2, "d_k": 3, "d_v": 4}, _TRANSFORMER_LAYER),
    (
        "transformer",
        "TransEnc",
        {"V": 7, "d_model": 8, "d_ff": 5, "n_head": 2, "d_k": 3, "d_v": 4, "n_lyr": 2, "S_max": 5},
        {"E": (7, 8)} | {f"f.{n}.{key}": shape for n in (0, 1) for key, shape in _TRANSFORMER_LAYER.items()},
    ),
    ("lstm_topic", "T", {"d_x": 3, "d_h": 5}, _MAP),
    (
        "lstm_topic",
        "LSTM",
        {"V": 7, "d_x": 3, "d_h": 5, "C": 4},
        {"D.weight": (7, 3)}
        | {f"T_{gate}.{key}": shape for gate in "fioc" for key, shape in _MAP.items()}
        | {"Linear.weight": (4, 5), "Linear.bias": (4,), "c_0": (5,), "h_0": (5,)},
    ),
]


@pytest.mark.parametrize("spec", SPECS)
def test_the_generated_file_is_up_to_date(spec: str, request: pytest.FixtureRequest) -> None:
    result = mathdsl.compile(EXAMPLES / f"{spec}.tex")
    assert result.diagnostics == ()
    golden = EXAMPLES / f"{spec}.py"
    if request.config.getoption("--update-golden"):
        golden.write_text(result.source, encoding="utf-8")
    assert golden.read_text(encoding="utf-8") == result.source


@pytest.mark.parametrize(("spec", "module"), SIGNATURES)
def test_constructors_take_sizes_then_settings_by_keyword(spec: str, module: str) -> None:
    parameters = inspect.signature(getattr(load_example(spec), module)).parameters.values()
    assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in parameters)
    assert [(p.name, p.default) for p in parameters] == list(SIGNATURES[spec, module].items())


@pytest.mark.parametrize(("spec", "module"), FORWARD)
def test_forward_takes_the_inputs_in_order(spec: str, module: str) -> None:
    parameters = inspect.signature(getattr(load_example(spec), module).forward).parameters.values()
    positional = [p for p in parameters if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD and p.name != "self"]
    assert ([p.name for p in positional], [p.name for p in positional if p.default is not REQUIRED]) == FORWARD[spec, module]


@pytest.mark.parametrize(("spec", "module", "sizes", "shapes"), STATES, ids=[f"{spec}.{module}" for spec, module, _, _ in STATES])
def test_the_state_dict_has_the_papers_symbols(spec: str, module: str, sizes: dict[str, int], shapes: dict[str, tuple[int, ...]]) -> None:
    state = build_example(spec, module, **sizes).state_dict()
    assert {key: tuple(value.shape) for key, value in state.items()} == shapes


def test_buffers_are_saved_and_not_trained() -> None:
    model = build_example("lstm_topic", "LSTM", V=7, d_x=3, d_h=5, C=4)
    assert {name for name, _ in model.named_buffers()} == {"c_0", "h_0"}
    assert not any(buffer.requires_grad or buffer.any() for buffer in model.buffers())


@pytest.mark.parametrize(("lower", "upper"), [(-0.1, 0.1), (0.25, 0.5)])
def test_elman_starts_between_its_bounds_in_every_layer(lower: float, upper: float) -> None:
    model = build_example("elman", "ElmanNet", V=40, d_emb=9, d_hid=11, n_lyr=2, init_lower=lower, init_upper=upper)
    for name, parameter in model.named_parameters():
        assert lower <= parameter.min(), name
        assert parameter.max() <= upper, name
    width = upper - lower
    assert model.E.min() < lower + 0.1 * width
    assert model.E.max() > upper - 0.1 * width
    assert (model.E[0] != 0).all(), "the padding row starts like any other"


def test_gates_of_the_first_lstm_start_closed() -> None:
    model = build_example("lstm1997", "LSTM1997", V=9, d_emb=40, n_blk=40, d_blk=2, n_lyr=2, init_ob=-0.5)
    for name, parameter in model.named_parameters():
        lower, upper = {"b_i": (-1.0, 0.0), "b_o": (-0.5, 0.0)}.get(name.rpartition(".")[2], (-0.1, 0.1))
        assert lower <= parameter.min() < lower + 0.3 * (upper - lower), name
        assert upper >= parameter.max() > upper - 0.3 * (upper - lower), name


def test_rhn_starts_like_linear_layers() -> None:
    cell = build_example("rhn", "RHNCell", d_in=400, d_hid=25, D=3)
    for parameter, bound in ((cell.W_h, 400**-0.5), (cell.R_g, 25**-0.5), (cell.b_h, 25**-0.5)):
        assert 0.8 * bound < parameter.abs().max() <= bound
        assert abs(parameter.mean()) < 0.2 * bound


def test_topic_maps_start_with_xavier_weights() -> None:
    gate = build_example("lstm_topic", "T", d_x=100, d_h=50)
    for parameter, bound in ((gate.W_x, (6 / 150) ** 0.5), (gate.W_h, (6 / 100) ** 0.5), (gate.b, 0.5)):
        assert 0.8 * bound < parameter.abs().max() <= bound


@pytest.mark.parametrize(("spec", "axes"), [("elman", (6,)), ("rhn", (6,)), ("lstm1997", (6,)), ("transformer", (6,)), ("lstm_topic", ())])
def test_losses_give_the_cross_entropy_of_each_example(spec: str, axes: tuple[int, ...]) -> None:
    y_hat = torch.randn(3, *axes, 7, dtype=torch.float64, requires_grad=True)
    y = torch.randint(0, 7, (3, *axes))
    cost = load_example(spec).loss(y_hat, y)
    assert cost.shape == (3,)
    expected = torch.stack([torch.nn.functional.cross_entropy(y_hat[b].reshape(-1, 7), y[b].reshape(-1)) for b in range(3)])
    torch.testing.assert_close(cost, expected, rtol=1e-10, atol=1e-10)
    torch.testing.assert_close(
        *(torch.autograd.grad(total.sum(), y_hat, retain_graph=True)[0] for total in (cost, expected)), rtol=1e-10, atol=1e-10
    )


def test_dropout_only_while_training() -> None:
    model = build_example("elman", "ElmanNet", V=7, d_emb=3, d_hid=5, n_lyr=2, p_emb=0.5, p_hid=0.5)
    x = torch.randint(0, 7, (4, 6))
    torch.manual_seed(1)
    assert not torch.equal(model(x)[0], model(x)[0])
    model.eval()
    assert torch.equal(model(x)[0], model(x)[0])


def test_dropping_everything_leaves_the_biases() -> None:
    model = build_example("elman", "ElmanNet", V=7, d_emb=3, d_hid=5, n_lyr=1, p_emb=1.0)
    same = model(torch.tensor([1, 1]))[0], model(torch.tensor([3, 3]))[0]
    assert torch.equal(*same)
