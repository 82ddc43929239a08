"""Every module of the examples against its hand-written reference: values and gradients, batched and ragged."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from examples_loader import build_example
from references import transformer
from references.cases import CASES, RAGGED_CASES, Arguments, Case
from references.leaves import leaves, map_leaves, real_leaves, some_weights, weigh
from references.parts import assert_same_gradients, copy_parameters
from torch import Tensor, nn

TOLERANCE = 1e-10
FAR_TOKEN = 10**9


def build_both(case: Case) -> tuple[nn.Module, nn.Module]:
    """Ours and the reference, with the same parameters."""
    torch.manual_seed(0)
    ours = build_example(case.spec, case.module, **case.sizes)
    with torch.no_grad():
        for value in ours.state_dict().values():
            value.uniform_(-0.8, 0.8)  # buffers too: a start of zero would hide a mistake
    reference = case.reference().double()
    copy_parameters(ours, case.parts(reference))
    return ours, reference


def assert_close(mine: Tensor, theirs: Tensor) -> None:
    torch.testing.assert_close(mine, theirs, rtol=TOLERANCE, atol=TOLERANCE)


def assert_all_close(mine: Any, theirs: Any) -> None:
    for one, other in zip(leaves(mine), leaves(theirs), strict=True):
        assert_close(one, other)


@pytest.mark.parametrize("length", [0, 1, 6])
@pytest.mark.parametrize("lead", [(), (4,), (2, 3)], ids=["one", "batch", "batches"])
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_values_and_gradients(case: Case, lead: tuple[int, ...], length: int) -> None:
    ours, reference = build_both(case)
    arguments = case.inputs(lead, length)
    mine = ours(*arguments)
    theirs = case.run(reference, *map_leaves(lambda t: t.flatten(0, len(lead) - 1) if lead else t[None], arguments))
    theirs = map_leaves(lambda t: t.reshape(*lead, *t.shape[1:]), theirs)
    assert_all_close(mine, theirs)
    inputs = real_leaves(arguments)
    wanted = [*inputs, *ours.parameters()]
    of_mine = torch.autograd.grad(_with_history(weigh(leaves(mine)), wanted), wanted, allow_unused=True, materialize_grads=True)
    for parameter, gradient in zip(ours.parameters(), of_mine[len(inputs) :], strict=True):
        parameter.grad = gradient
    _with_history(weigh(leaves(theirs)), [*inputs, *reference.parameters()]).backward()
    assert_same_gradients(ours, case.parts(reference), TOLERANCE)
    for argument, gradient in zip(inputs, of_mine, strict=False):
        assert_close(gradient, torch.zeros_like(argument) if argument.grad is None else argument.grad)


def _with_history(total: Tensor, wanted: list[Tensor]) -> Tensor:
    """The same number; of an empty result, which depends on nothing, it may be differentiated too."""
    return total if total.requires_grad else total + 0 * wanted[0].sum()


@pytest.mark.parametrize("case", RAGGED_CASES, ids=[case.name for case in RAGGED_CASES])
@pytest.mark.parametrize("lead", [(5,), (1, 5)], ids=["batch", "batches"])
def test_ragged_batches(case: Case, lead: tuple[int, ...]) -> None:
    """Each example against the reference on it alone; what lies beyond its length is poison."""
    ours, reference = build_both(case)
    lengths = torch.tensor([3, 0, 6, 1, 5])
    arguments = case.inputs(lead, 7)
    poisoned = tuple(_poison(a, lengths, len(lead), k in case.squares) if k in case.ragged else a for k, a in enumerate(arguments))
    mine = ours(*poisoned, lengths=lengths.reshape(lead))
    weigh(leaves(mine)).backward()
    gradients = [t.grad for t in real_leaves(arguments)]
    for t in real_leaves(arguments):
        t.grad = None
    total = torch.zeros((), dtype=torch.float64)
    for number, length in enumerate(lengths.tolist()):
        at = (0,) * (len(lead) - 1) + (number,)
        alone = _example(case, arguments, at, length)
        for k, (whole, own) in enumerate(zip(leaves(mine), leaves(case.run(reference, *alone)), strict=True)):
            weights, part = some_weights(whole.shape)[at], whole[at]
            if k in case.ragged_results:
                assert not part[length:].any(), "padding of a result is zero"
                weights, part = weights[:length], part[:length]
            assert_close(part, own[0])
            total = total + (own[0] * weights).sum()
    total.backward()
    assert_same_gradients(ours, case.parts(reference), TOLERANCE)
    for argument, gradient in zip(real_leaves(arguments), gradients, strict=True):
        assert_close(gradient, argument.grad)


def _example(case: Case, arguments: Arguments, at: tuple[int, ...], length: int) -> Arguments:
    inside = [(slice(length),) * (2 if k in case.squares else 1) for k in range(len(arguments))]
    own = (a[at][inside[k]][None] if k in case.ragged else map_leaves(lambda t: t[at][None], a) for k, a in enumerate(arguments))
    return tuple(own)


def _poison(argument: Tensor, lengths: Tensor, lead: int, is_square: bool = False) -> Tensor:
    beyond = torch.arange(argument.shape[lead]) >= lengths[:, None]
    if is_square:
        beyond = beyond[:, :, None] | beyond[:, None, :]
    beyond = beyond.reshape(*argument.shape[: lead + beyond.ndim - 1], *(1,) * (argument.ndim - lead - beyond.ndim + 1))
    worst = torch.nan if argument.is_floating_point() else FAR_TOKEN if argument.dtype == torch.int64 else True
    return torch.where(beyond, worst, argument)


def test_states_default_to_zero() -> None:
    for case in CASES:
        if case.module in ("ElmanLayer", "ElmanNet", "RHN", "RHNLM"):
            ours, _ = build_both(case)
            x, states = case.inputs((3,), 4)
            assert_all_close(ours(x), ours(x, map_leaves(torch.zeros_like, states)))


def test_a_text_may_be_read_in_parts() -> None:
    for case in CASES:
        if case.module in ("ElmanNet", "RHN", "RHNLM"):
            ours, _ = build_both(case)
            x, states = case.inputs((2,), 5)
            whole, last = ours(x, states)
            first, between = ours(x[:, :2], states)
            second, end = ours(x[:, 2:], between)
            assert_close(whole, torch.cat([first, second], dim=1))
            assert_all_close(last, end)


def test_elman_layer_equals_torch_rnn() -> None:
    case = CASES[0]
    ours, _ = build_both(case)
    theirs = nn.RNN(3, 5, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        theirs.weight_ih_l0.copy_(ours.W)
        theirs.weight_hh_l0.copy_(ours.U)
        theirs.bias_ih_l0.copy_(ours.b)
        theirs.bias_hh_l0.zero_()
    x, h_0 = case.inputs((4,), 6)
    mine, other = ours(x, h_0), theirs(x, h_0[None])[0]
    assert_close(mine, other)
    of_mine = torch.autograd.grad(weigh([mine]), [x, h_0, ours.W, ours.U, ours.b])
    of_theirs = torch.autograd.grad(weigh([other]), [x, h_0, theirs.weight_ih_l0, theirs.weight_hh_l0, theirs.bias_ih_l0])
    for one, two in zip(of_mine, of_theirs, strict=True):
        assert_close(one, two)


def test_the_padding_rows_lookup_learns_nothing_but_its_score_does() -> None:
    model = build_example("elman", "ElmanNet", V=7, d_emb=3, d_hid=5, n_lyr=1)
    logits, states = model(torch.zeros(4, dtype=torch.int64))
    gradient = torch.autograd.grad(states[0].sum(), model.E, allow_unused=True, materialize_grads=True, retain_graph=True)[0]
    assert not gradient.any(), "the lookup of padding gives no gradient"
    assert torch.autograd.grad(logits[:, 0].sum(), model.E)[0][0].all(), "the score of padding does"
    other = build_example("elman", "ElmanNet", V=7, d_emb=3, d_hid=5, n_lyr=1, pad=2)
    looked_up = torch.autograd.grad(other(torch.tensor([0, 2]))[1][0].sum(), other.E)[0]
    assert looked_up[0].any()
    assert not looked_up[2].any()


# ---- what only the transformer has -----------------------------------------------------------------


def _case(module: str) -> Case:
    return next(case for case in CASES if case.module == module)


def test_attention_with_lengths_of_its_own_for_queries_and_keys() -> None:
    case = _case("MultiHeadAttn")
    ours, reference = build_both(case)
    k, mask, q, v = map_leaves(lambda t: t.detach(), case.inputs((3,), 4))
    lengths = {"S_k": torch.tensor([4, 2, 0]), "S_q": torch.tensor([1, 6, 3])}
    for number, (keys, queries) in enumerate(zip(lengths["S_k"].tolist(), lengths["S_q"].tolist(), strict=True)):
        k[number, keys:] = v[number, keys:] = torch.nan
        q[number, queries:] = torch.nan
    mine = ours(k, mask, q, v, lengths=lengths)
    for number, (keys, queries) in enumerate(zip(lengths["S_k"].tolist(), lengths["S_q"].tolist(), strict=True)):
        own = k[number, :keys], mask[number, :queries, :keys], q[number, :queries], v[number, :keys]
        assert_close(mine[number, :queries], reference(*(t[None] for t in own))[0])
        assert not mine[number, queries:].any()


def test_contractions_of_attention_come_out_as_products_of_matrices() -> None:
    case = _case("MultiHeadAttn")
    ours, _ = build_both(case)
    arguments = map_leaves(lambda t: t.detach(), case.inputs((2,), 50))
    with torch.no_grad(), torch.profiler.profile(profile_memory=True) as profile:
        ours(*arguments)
    largest = max((event.self_cpu_memory_usage for event in profile.events()), default=0)
    assert largest <= 2 * 3 * 52 * 50 * 8, "no intermediate tensor is larger than the scores"


@pytest.mark.parametrize("length", [0, 1, 7])
def test_positions_are_those_of_the_reference(length: int) -> None:
    ours = build_example("transformer", "PosEnc", S_max=7, d_model=6)
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        mine = ours(length)
    finally:
        torch.set_default_dtype(before)
    assert_close(mine, transformer.PosEncLayer(max_seq_len=7, d_emb=6)(length)[0])
    for wrong, error in ((8, ValueError), (-1, ValueError), (2.0, TypeError)):
        with pytest.raises(error):
            ours(wrong)


@pytest.mark.parametrize(("before", "length"), [(0, 3), (2, 4), (4, 4), (5, 4), (8, 1)])
def test_a_context_comes_before_the_text_and_leaves_room_for_one_more(before: int, length: int) -> None:
    ours, reference = build_both(_case("TransEnc"))
    x, c = torch.randint(0, 7, (3, length)), torch.randint(0, 7, (3, before))
    mine, theirs = ours(x, c), reference(x, c)
    assert_all_close(mine, theirs)
    assert mine[1].shape == (3, min(before + length, 8))
    weigh([mine[0]]).backward()
    weigh([theirs[0]]).backward()
    assert_same_gradients(ours, _case("TransEnc").parts(reference), TOLERANCE)


def test_texts_of_several_lengths_behind_contexts_of_one() -> None:
    ours, reference = build_both(_case("TransEnc"))
    x, c, lengths = torch.randint(0, 7, (4, 6)), torch.randint(0, 7, (4, 3)), torch.tensor([6, 1, 0, 4])
    for number, length in enumerate(lengths.tolist()):
        x[number, length:] = FAR_TOKEN
    scores, context = ours(x, c, lengths=lengths)
    for number, length in enumerate(lengths.tolist()):
        own, rest = reference(x[number : number + 1, :length], c[number : number + 1])
        assert_close(scores[number, :length], own[0])
        assert not scores[number, length:].any()
        assert torch.equal(context[number, : rest.size(1)], rest[0])
        assert not context[number, rest.size(1) :].any()
