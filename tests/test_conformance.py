"""Programs that others published, untouched: they compile, load, and compute what their mathematics says.

The folder with the extractors is named by the environment variable MATHDSL_CONFORMANCE; without it the tests are skipped.
"""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from mathdsl.api import compile_files
from mathdsl.spans import SourceFile

FOLDER = os.environ.get("MATHDSL_CONFORMANCE", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="MATHDSL_CONFORMANCE names no folder with the published programs")

TOLERANCE = {"rtol": 1e-10, "atol": 1e-10}
D_X, D_H, TOPICS, V = 3, 5, 4, 7
KNOWN_SIZES = {"d_x": D_X, "d_y_hat": TOPICS}


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the naked programs and, under `restored`, the documents' Python modules."""
    folder = tmp_path_factory.mktemp("published")
    for script, target in (("extract_seeds.py", folder), ("restore_seeds.py", folder / "restored")):
        subprocess.run([sys.executable, str(Path(FOLDER) / script), str(target)], check=True, capture_output=True)
    return folder


@pytest.fixture(autouse=True)
def _double() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(torch.float32)


def load(*paths: Path) -> Any:
    """The programs of some files as one document."""
    result = compile_files([SourceFile(str(path), path.read_text(encoding="utf-8")) for path in paths])
    assert result.ok, [d.message for d in result.diagnostics if d.severity == "error"]
    return result.load()


def randomise(module: nn.Module) -> nn.Module:
    """Every parameter away from zero, so that none can be forgotten."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.uniform_(-0.8, 0.8)
    return module


def arguments_of(cls: type) -> set[str]:
    return set(inspect.signature(cls).parameters)


class Map(nn.Module):
    """A module of two arguments, as the author of the LSTM would pass in."""

    def __init__(self) -> None:
        super().__init__()
        self.of_x, self.of_h = nn.Linear(D_X, D_H), nn.Linear(D_H, D_H, bias=False)

    def forward(self, x: Tensor, h: Tensor) -> Tensor:
        """`x` (…, d_x), `h` (…, d_h) to (…, d_h)."""
        return self.of_x(x) + self.of_h(h)


def run_rnn(x: Tensor, h: Tensor, W: Tensor, U: Tensor, b: Tensor) -> Tensor:
    """The states after each of the positions of `x` (S, d_x)."""
    states = []
    for x_t in x:
        h = torch.tanh(W @ x_t + U @ h + b)
        states.append(h)
    return torch.stack(states)


def test_kokoyi_t(programs: Path) -> None:
    T = load(programs / "kokoyi_T.tex").T
    assert list(inspect.signature(T).parameters) == ["d_x", "d_h", "d_W_x"]
    module = randomise(T(d_x=2, d_h=3, d_W_x=4))
    x, h = torch.randn(6, 2), torch.randn(6, 3)
    torch.testing.assert_close(module(x, h), h @ module.W_h.T + x @ module.W_x.T + module.b, **TOLERANCE)


def test_kokoyi_rnn(programs: Path) -> None:
    RNN = load(programs / "kokoyi_RNN.tex").RNN
    assert arguments_of(RNN) == {"d_h", "d_x", "D"}
    module = randomise(RNN(d_h=D_H, d_x=D_X, D=nn.Embedding(V, D_X)))
    assert set(dict(module.named_parameters())) == {"W_h", "W_x", "b", "h_0", "D.weight"}
    sentences = torch.randint(0, V, (4, 6))
    ours = module(sentences)
    alone = [run_rnn(module.D(sentence), module.h_0, module.W_x, module.W_h, module.b)[-1] for sentence in sentences]
    torch.testing.assert_close(ours, torch.stack(alone), **TOLERANCE)
    ragged = module(sentences, lengths=torch.tensor([6, 0, 1, 3]))
    torch.testing.assert_close(ragged[1], module.h_0, **TOLERANCE)
    torch.testing.assert_close(ragged[3], module(sentences[3, :3]), **TOLERANCE)


def run_lstm(x: Tensor, maps: Any, h: Tensor, c: Tensor) -> Tensor:
    """The last state."""
    T_f, T_i, T_o, T_c = maps
    for x_t in x:
        f, i, o, proposed = torch.sigmoid(T_f(x_t, h)), torch.sigmoid(T_i(x_t, h)), torch.sigmoid(T_o(x_t, h)), torch.tanh(T_c(x_t, h))
        c = f * c + i * proposed
        h = o * torch.tanh(c)
    return h


def run_map(gate: Any, x: Tensor, h: Tensor) -> Tensor:
    """The affine map of a generated `T` on one example."""
    return gate.W_h @ h + gate.W_x @ x + gate.b


def check_lstm(module: Any, maps: Any, loss: Any) -> None:
    sentences, topics = torch.randint(0, V, (4, 6)), torch.randint(0, TOPICS, (4,))
    ours = module(sentences)
    alone = [module.Linear(run_lstm(module.D(sentence), maps, module.h_0, module.c_0)) for sentence in sentences]
    torch.testing.assert_close(ours, torch.stack(alone), **TOLERANCE)
    torch.testing.assert_close(loss(ours, topics), nn.functional.cross_entropy(ours, topics, reduction="none"), **TOLERANCE)
    torch.testing.assert_close(module(sentences, lengths=torch.tensor([6, 4, 1, 0]))[1], module(sentences[1, :4]), **TOLERANCE)


def test_kokoyi_lstm_takes_its_modules(programs: Path) -> None:
    document = load(programs / "kokoyi_LSTM.tex")
    assert {"T_s", "Linear", "D"} < arguments_of(document.LSTM)
    sizes = dict.fromkeys(arguments_of(document.LSTM) - {"T_s", "Linear", "D"}, D_H)
    module = document.LSTM(T_s=[Map() for _ in range(4)], Linear=nn.Linear(D_H, TOPICS), D=nn.Embedding(V, D_X), **sizes)
    randomise(module)
    check_lstm(module, list(module.T_s), document.loss)


DECLARATIONS = r"""
\begin{where}
  T_s^k \in \mathrm{T}(d_x, d_h, d_h), k = 1, \dots, 4 & the four maps \\
  Linear \in \mathrm{Linear}(d_h, C) & the scores \\
  D \in \mathrm{Embedding}(V, d_x) & the word vectors \\
  c_0, h_0 \in \mathbb{R}^{d_h} = \mathbf{0} & the start \\
\end{where}
"""


def test_kokoyi_lstm_with_its_map_declared(programs: Path, tmp_path: Path) -> None:
    table = tmp_path / "where.tex"
    table.write_text(DECLARATIONS, encoding="utf-8")
    document = load(programs / "kokoyi_T.tex", programs / "kokoyi_LSTM.tex", table)
    module = randomise(document.LSTM(V=V, d_x=D_X, d_h=D_H, C=TOPICS))
    maps = [partial(run_map, gate) for gate in module.T_s]
    assert len(maps) == 4
    check_lstm(module, maps, document.loss)


def paths(programs: Path, form: str, *names: str) -> list[Path]:
    """The naked programs, or the documents' Python modules, whose tables name the sizes."""
    return [programs / f"{name}.tex" if form == "naked" else programs / "restored" / f"{name}.py" for name in names]


@pytest.mark.parametrize("form", ["naked", "restored"])
def test_elman_net_layer(programs: Path, form: str) -> None:
    Layer = load(*paths(programs, form, "ElmanNetLayer")).ElmanNetLayer
    size_of_x, size_of_h = ("d_x", "d_h") if form == "naked" else ("h_in", "h_out")
    assert arguments_of(Layer) == {size_of_x, size_of_h}
    module = randomise(Layer(**{size_of_x: D_X, size_of_h: D_H}))
    assert {key: tuple(p.shape) for key, p in module.named_parameters()} == {"W": (D_H, D_X), "U": (D_H, D_H), "b": (D_H,)}
    theirs = nn.RNN(D_X, D_H, batch_first=True)
    with torch.no_grad():
        theirs.weight_ih_l0.copy_(module.W)
        theirs.weight_hh_l0.copy_(module.U)
        theirs.bias_ih_l0.copy_(module.b)
        theirs.bias_hh_l0.zero_()
    x, h_0 = torch.randn(4, 6, D_X), torch.randn(4, D_H)
    torch.testing.assert_close(module(x, h_0), theirs(x, h_0[None])[0], **TOLERANCE)


@pytest.mark.parametrize("form", ["naked", "restored"])
def test_elman_net(programs: Path, form: str) -> None:
    Net = load(*paths(programs, form, "ElmanNetLayer", "ElmanNet")).ElmanNet
    names = {"d_e": 3, "d_h": D_H, "d_y": V} if form == "naked" else {"d_emb": 3, "d_hid": D_H, "V": V}
    sizes = {"n_lyr": 2, "p_emb": 0.0, "p_hid": 0.0, **names}
    assert arguments_of(Net) == set(sizes)
    module = randomise(Net(**sizes))
    assert tuple(module.E.shape) == (V, 3)
    tokens = torch.randint(1, V + 1, (4, 6))
    states = [torch.randn(4, D_H) for _ in range(2)]
    y, last = module(tokens, states)
    for b in range(4):
        below = torch.tanh(module.E[tokens[b] - 1] @ module.W_h.T + module.b_h)
        for layer, state, end in zip(module.elman_net_layer, states, last, strict=True):
            below = run_rnn(below, state[b], layer.W, layer.U, layer.b)
            torch.testing.assert_close(end[b], below[-1], **TOLERANCE)
        z = torch.tanh(below @ module.W_z.T + module.b_z)
        torch.testing.assert_close(y[b], torch.softmax(z @ module.E.T, dim=-1), **TOLERANCE)


# ---- the transformer ---------------------------------------------------------------------------

D_MODEL, D_FF, HEADS, D_K, D_V = 4, 6, 2, 3, 5


def attend(module: Any, k: Tensor, mask: Tensor, q: Tensor, v: Tensor) -> Tensor:
    """What the algorithm says of one example, head by head and position by position."""
    rows = []
    for i in range(len(q)):
        seen = []
        for W_Q, W_K, W_V in zip(module.W_Q, module.W_K, module.W_V, strict=True):
            scores = [torch.tensor(-1e9) if mask[i, j] else (W_Q @ q[i]) @ (W_K @ k[j]) / D_K**0.5 for j in range(len(k))]
            shares = torch.softmax(torch.stack(scores), dim=0)
            seen.append(sum(share * (W_V @ v_j) for share, v_j in zip(shares, v, strict=True)))
        rows.append(module.W_O @ torch.cat(seen))
    return torch.stack(rows)


def think(module: Any, mask: Tensor, x: Tensor) -> Tensor:
    """A layer on one example."""
    norm_1 = partial(nn.functional.layer_norm, normalized_shape=(D_MODEL,), weight=module.layer_norm.weight, bias=module.layer_norm.bias)
    norm_2 = partial(
        nn.functional.layer_norm, normalized_shape=(D_MODEL,), weight=module.layer_norm_2.weight, bias=module.layer_norm_2.bias
    )
    y_2 = norm_1(x + attend(module.multi_head_attn_layer, x, mask, x, x))
    return norm_2(y_2 + torch.relu(y_2 @ module.W_1.T + module.b_1) @ module.W_2.T + module.b_2)


ATTENTION_SIZES = {
    "naked": {
        "n_hd": HEADS,
        "d_k": D_K**1.0,
        "d_W_K": D_MODEL,
        "d_q": D_K,
        "d_v": D_MODEL,
        "d_W_Q": D_MODEL,
        "d_W_V": D_V,
        "d_W_O": D_MODEL,
    },
    "restored": {"d_mdl": D_MODEL, "n_hd": HEADS, "d_k": D_K, "d_v": D_V},
}


@pytest.mark.parametrize("form", ["naked", "restored"])
def test_multi_head_attention(programs: Path, form: str) -> None:
    Layer = load(*paths(programs, form, "MultiHeadAttnLayer")).MultiHeadAttnLayer
    assert arguments_of(Layer) == set(ATTENTION_SIZES[form])
    module = randomise(Layer(**ATTENTION_SIZES[form]))
    assert {key: tuple(p.shape) for key, p in module.named_parameters()} == {
        "W_Q": (HEADS, D_K, D_MODEL),
        "W_K": (HEADS, D_K, D_MODEL),
        "W_V": (HEADS, D_V, D_MODEL),
        "W_O": (D_MODEL, HEADS * D_V),
    }
    k, q, v = (torch.randn(4, length, D_MODEL) for length in (7, 6, 7))
    mask = torch.rand(4, 6, 7) < 0.4
    mask[0, 0] = True
    alone = [attend(module, *example) for example in zip(k, mask, q, v, strict=True)]
    torch.testing.assert_close(module(k, mask, q, v), torch.stack(alone), **TOLERANCE)
    of_q, of_k = torch.tensor([6, 0, 3, 1]), torch.tensor([7, 2, 1, 4])
    for b, (rows, columns) in enumerate(zip(of_q, of_k, strict=True)):
        q[b, rows:], k[b, columns:], v[b, columns:] = (float("nan"),) * 3
    ragged = module(k, mask, q, v, lengths={"S_q": of_q, "S_k": of_k})
    for b, (rows, columns) in enumerate(zip(of_q, of_k, strict=True)):
        own = module(k[b, :columns], mask[b, :rows, :columns], q[b, :rows], v[b, :columns])
        torch.testing.assert_close(ragged[b, :rows], own, **TOLERANCE)
        assert not ragged[b, rows:].any()


@pytest.mark.parametrize("form", ["naked", "restored"])
def test_positional_encoding(programs: Path, form: str) -> None:
    module = load(*paths(programs, form, "PosEncLayer")).PosEncLayer(d_emb=D_MODEL)
    position, i = torch.arange(1.0, 8.0)[:, None], torch.arange(1.0, D_MODEL + 1)
    angles = position / 10000 ** (i / D_MODEL)
    torch.testing.assert_close(module(7), torch.where(i % 2 == 0, angles.sin(), angles.cos()), **TOLERANCE)


@pytest.mark.parametrize("form", ["naked", "restored"])
def test_transformer_layer(programs: Path, form: str) -> None:
    Layer = load(*paths(programs, form, "TransEncLayer", "MultiHeadAttnLayer")).TransEncLayer
    heads = {"n_hd": HEADS, "p": 0.0}
    sizes = {
        "naked": {**heads, "d_W_1": D_FF, "d_x": D_MODEL, "d_k": D_K**1.0, "d_q": D_K, "d_W_V": D_V},
        "restored": {**heads, "d_mdl": D_MODEL, "d_ff": D_FF, "d_k": D_K, "d_v": D_V},
    }[form]
    assert arguments_of(Layer) == set(sizes)
    module = randomise(Layer(**sizes))
    x, mask = torch.randn(4, 6, D_MODEL), torch.rand(4, 6, 6) < 0.4
    alone = [think(module, *example) for example in zip(mask, x, strict=True)]
    torch.testing.assert_close(module(mask, x), torch.stack(alone), **TOLERANCE)


# ---- programs that are told what is wrong with them ----------------------------------------------

OLD_CALL = r"\\TransEncLayer\\pa\{\s*k \\algoEq[^}]*\},\s*\\msk \\algoEq \\msk,\s*q[^}]*\},\s*v[^}]*\}\s*\}"
NEW_CALL = r"\TransEncLayer\pa{\msk \algoEq \msk, x \algoEq h^{\ell-1}}"


def mend(path: Path, folder: Path, pattern: str, replacement: str) -> Path:
    """A copy of a program with one change."""
    text, count = re.subn(pattern, lambda _: replacement, path.read_text(encoding="utf-8"))
    assert count == 1
    copy = folder / path.name
    copy.write_text(text, encoding="utf-8")
    return copy


def refused(*files: Path) -> Any:
    """The one error of some files as one document."""
    result = compile_files([SourceFile(str(path), path.read_text(encoding="utf-8")) for path in files])
    errors = [d for d in result.diagnostics if d.severity == "error"]
    assert len(errors) == 1, [d.message for d in errors]
    return errors[0]


@pytest.mark.parametrize("form", ["naked", "restored"])
def test_transformer_is_refused_at_its_call_of_the_layer(programs: Path, form: str) -> None:
    files = paths(programs, form, "TransEnc", "TransEncLayer", "MultiHeadAttnLayer")
    error = refused(*files)
    text = files[0].read_text(encoding="utf-8")
    assert (error.code, error.span.file) == ("E0602", str(files[0]))
    assert text.rindex(r"\TransEncLayer", 0, error.span.end) < text.index(r"\algoEndFor", error.span.start)
    notes = "\n".join(error.notes)
    assert r"(k, \msk, q, v)" in notes
    assert r"(\msk, x)" in notes


@pytest.mark.parametrize("form", ["naked", "restored"])
def test_transformer_with_its_call_mended(programs: Path, form: str, tmp_path: Path) -> None:
    net, *layers = paths(programs, form, "TransEnc", "TransEncLayer", "MultiHeadAttnLayer")
    Net = load(mend(net, tmp_path, OLD_CALL, NEW_CALL), *layers).TransEnc
    S_max = 9
    common = {"n_lyr": 2, "S_max": S_max, "n_hd": HEADS, "p": 0.0, "pad": 1}
    sizes = {
        "naked": {"d_e": D_MODEL, "d_y": V, "n_PE": S_max, "d_W_1": D_FF, "d_k": D_K**1.0, "d_q": D_K, "d_W_V": D_V},
        "restored": {"d_mdl": D_MODEL, "V": V, "d_ff": D_FF, "d_k": D_K, "d_v": D_V},
    }[form]
    assert arguments_of(Net) == {*common, *sizes}
    module = randomise(Net(**common, **sizes))
    for earlier, new in ((5, 3), (0, 4), (2, 7)):
        x, c = torch.randint(1, V + 1, (3, new)), torch.randint(1, V + 1, (3, earlier))
        y, context = module(x, c)
        for b in range(3):
            tokens = torch.cat([x[b], c[b]])
            places = torch.arange(len(tokens))
            mask = (tokens == 1)[:, None] | ~(places[:, None] <= places)
            h = module.E[tokens - 1] + module.PE[: len(tokens)]
            for layer in module.trans_enc_layer:
                h = think(layer, mask, h)
            torch.testing.assert_close(y[b], torch.softmax(h @ module.E.T, dim=-1), **TOLERANCE)
            assert context[b].tolist() == tokens[max(1, len(tokens) - (S_max - 2)) - 1 :].tolist()
    x, c, of_c = torch.randint(1, V + 1, (3, 4)), torch.randint(1, V + 1, (3, 5)), torch.tensor([5, 0, 2])
    padded = torch.where(torch.arange(5) < of_c[:, None], c, 10**9)
    ragged, _ = module(x, padded, lengths={{"naked": "d_c", "restored": "S_prime"}[form]: of_c})
    for b, earlier in enumerate(of_c):
        torch.testing.assert_close(ragged[b, : 4 + earlier], module(x[b], c[b, :earlier])[0], **TOLERANCE)


@pytest.mark.parametrize("form", ["naked", "restored"])
def test_lstm_of_1997_is_refused_with_its_cycle(programs: Path, form: str) -> None:
    (path,) = paths(programs, form, "LSTMNineSevenLayer" if form == "naked" else "LSTM1997Layer")
    error = refused(path)
    assert error.code == "E0501"
    written = path.read_text(encoding="utf-8")[error.span.start : error.span.end]
    assert written == "h_t"
    assert path.read_text(encoding="utf-8")[: error.span.start].endswith(r"\tanh\pa{W_k \cdot x_t + U_k \cdot ")
    assert error.notes == ("the cycle is h_t → g_{t,k} → c_{t,k} → h_{t,k} → h_t",)
    assert error.help == "if the previous value is meant, read `h_{t-1}` in the equation of `g_{t,k}`"


LSTM_SIZES = {
    "naked": {"n_blk": 2, "d_x": D_X, "d_c": 3},
    "restored": {"n_blk": 2, "h_in": D_X, "d_blk": 3},
}


def mended_lstm(programs: Path, form: str, folder: Path) -> Path:
    (path,) = paths(programs, form, "LSTMNineSevenLayer" if form == "naked" else "LSTM1997Layer")
    return mend(path, folder, r"U_k \\cdot h_t ", r"U_k \cdot h_{t-1} ")


def run_blocks(module: Any, x: Tensor, c: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
    """The cells and states of one example, after each position."""
    cells, states = [], []
    for x_t in x:
        i = torch.sigmoid(module.W_i @ x_t + module.U_i @ h + module.b_i)
        o = torch.sigmoid(module.W_o @ x_t + module.U_o @ h + module.b_o)
        g = torch.stack([torch.tanh(W @ x_t + U @ h + b) for W, U, b in zip(module.W, module.U, module.b, strict=True)])
        c = c + i[:, None] * g
        h = (o[:, None] * torch.tanh(c)).flatten()
        cells.append(c)
        states.append(h)
    return torch.stack(cells), torch.stack(states)


@pytest.mark.parametrize("form", ["naked", "restored"])
def test_lstm_of_1997_with_its_state_mended(programs: Path, form: str, tmp_path: Path) -> None:
    Layer = load(mended_lstm(programs, form, tmp_path)).LSTMNineSevenLayer
    assert arguments_of(Layer) == set(LSTM_SIZES[form])
    module = randomise(Layer(**LSTM_SIZES[form]))
    x, c_0, h_0 = torch.randn(4, 6, D_X), torch.randn(4, 2, 3), torch.randn(4, 6)
    c, h = module(x, c_0, h_0)
    for b in range(4):
        cells, states = run_blocks(module, x[b], c_0[b], h_0[b])
        torch.testing.assert_close(c[b], cells, **TOLERANCE)
        torch.testing.assert_close(h[b], states, **TOLERANCE)


@pytest.mark.parametrize("form", ["naked", "restored"])
def test_lstm_of_1997_as_a_net(programs: Path, form: str, tmp_path: Path) -> None:
    (net,) = paths(programs, form, "LSTMNineSeven" if form == "naked" else "LSTM1997")
    Net = load(mended_lstm(programs, form, tmp_path), net).LSTMNineSeven
    common = {"n_lyr": 2, "p_emb": 0.0, "p_hid": 0.0}
    sizes = {
        "naked": {"d_y": V, "d_e": 3, "n_c": 2, "d_c": 3},
        "restored": {"V": V, "d_emb": 3, "n_blk": 2, "d_blk": 3},
    }[form]
    assert arguments_of(Net) == {*common, *sizes}
    module = randomise(Net(**common, **sizes))
    tokens = torch.randint(1, V + 1, (4, 5))
    c_0, h_0 = [torch.randn(4, 2, 3) for _ in range(2)], [torch.randn(4, 6) for _ in range(2)]
    y, (c, h) = module(tokens, (c_0, h_0))
    for b in range(4):
        below = torch.tanh(module.E[tokens[b] - 1] @ module.W_h.T + module.b_h)
        for ell, layer in enumerate(module.lstm_nine_seven_layer):
            cells, below = run_blocks(layer, below, c_0[ell][b], h_0[ell][b])
            torch.testing.assert_close(c[ell][b], cells[-1], **TOLERANCE)
            torch.testing.assert_close(h[ell][b], below[-1], **TOLERANCE)
        z = torch.tanh(below @ module.W_z.T + module.b_z)
        torch.testing.assert_close(y[b], torch.softmax(z @ module.E.T, dim=-1), **TOLERANCE)
