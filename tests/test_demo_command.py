"""`mathdsl demo` as its user meets it: the last line, exit codes, progress, the picture, and what is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner, Result

from mathdsl.cli import main
from mathdsl.demo import docstrings
from mathdsl.demo.command import show_progress

PNG = b"\x89PNG\r\n\x1a\n"
SONG = "do re mi fa so la ti".split()


@pytest.fixture(autouse=True)
def _threads() -> Iterator[None]:
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def news(tmp_path: Path) -> Path:
    """Articles that go round one song of seven words, each class from a word of its own."""
    folder = tmp_path / "news"
    folder.mkdir()
    rows = [f'"{n % 4 + 1}","{SONG[n % 4]}","{" ".join(SONG[(n % 4 + place) % 7] for place in range(1, 5 + n % 6))}"' for n in range(48)]
    for name in ("train.csv", "test.csv"):
        (folder / name).write_text("\n".join(rows), encoding="utf-8")
    return folder


def demo(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["demo", *map(str, arguments)])


def refusal(result: Result) -> str:
    """The line that refuses: alone, on standard error, with the exit code of wrong usage."""
    assert result.exit_code == 2
    [line] = result.stderr.splitlines()
    return line.removeprefix("error: ")


@pytest.mark.parametrize("name", ["elman", "lstm1997", "rhn", "transformer"])
def test_a_language_model_beats_the_unigram(news: Path, name: str) -> None:
    result = demo("--spec", name, "--data", news, "--steps", "30")
    assert result.exit_code == 0, result.output
    words = result.stdout.splitlines()[-1].split()
    assert words[0::2] == ["perplexity", "unigram", "ratio"]
    assert float(words[1]) < 4 < float(words[3])
    assert float(words[5]) == pytest.approx(float(words[3]) / float(words[1]), rel=0.05)


def test_a_model_that_learnt_too_little_fails(news: Path) -> None:
    rows = ['"1","a","' + "the " * 20 + 'end"'] * 8 + [f'"2","b","{word} {word}"' for word in SONG]
    for name in ("train.csv", "test.csv"):
        (news / name).write_text("\n".join(rows), encoding="utf-8")
    result = demo("--spec", "rhn", "--data", news, "--steps", "1")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1].startswith("perplexity")
    assert result.stderr.startswith("not reached: a perplexity below that of the unigram model")
    assert result.stderr.endswith("; more steps help (1 of the usual 600 were made)\n")
    for name in ("train.csv", "test.csv"):
        (news / name).write_text('"1","a","b"\n"2","a","b"\n' * 8, encoding="utf-8")
    assert "not reached: an errors ratio of 3 (how many" in demo("--data", news, "--steps", "1").stderr


def test_progress_is_a_few_plain_lines_without_a_terminal(news: Path) -> None:
    lines = demo("--spec", "elman", "--data", news, "--steps", "40").stdout.splitlines()
    assert [line.split(":")[0] for line in lines[2:-2]] == [f"step {step} of 40" for step in range(4, 41, 4)]
    assert not any("\r" in line or "\x1b" in line or "#" in line for line in lines)


def test_progress_that_nobody_can_see_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert show_progress(iter([3.0, 2.5]), 2) == [3.0, 2.5]


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no pseudo-terminals here")
def test_progress_is_a_bar_on_a_terminal() -> None:
    ours, theirs = os.openpty()
    script = "from mathdsl.demo.command import show_progress; print(show_progress(iter([3.0, 2.5]), 2))"
    subprocess.run([sys.executable, "-c", script], stdout=theirs, check=True)
    shown = os.read(ours, 10_000).decode()
    os.close(theirs)
    os.close(ours)
    assert "training" in shown
    assert "100%" in shown
    assert "[3.0, 2.5]" in shown


@pytest.mark.parametrize("name", ["elman", "lstm_topic"])
def test_the_plot_is_a_png_and_always_the_same(news: Path, tmp_path: Path, name: str) -> None:
    pictures = []
    for turn in ("first", "second"):
        path = tmp_path / f"{turn}.png"
        assert demo("--spec", name, "--data", news, "--steps", "12", "--plot", path).exit_code in (0, 1)
        pictures.append(path.read_bytes())
    assert pictures[0].startswith(PNG)
    assert pictures[0] == pictures[1]


def test_a_plot_that_cannot_be_written_is_refused_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    assert "missing/a.png: No such file" in refusal(demo("--plot", tmp_path / "missing" / "a.png"))
    assert "Is a directory" in refusal(demo("--plot", tmp_path / "folder.png"))
    assert "must end in .png" in refusal(demo("--plot", tmp_path / "a.pdf"))
    assert [path.name for path in tmp_path.iterdir()] == ["folder.png"]


def test_asking_whether_a_plot_can_be_written_leaves_no_file(tmp_path: Path) -> None:
    refusal(demo("--plot", tmp_path / "new.png", "--device", "abacus"))
    (tmp_path / "old.png").write_bytes(PNG)
    refusal(demo("--plot", tmp_path / "old.png", "--device", "abacus"))
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("old.png", PNG)]


def test_without_matplotlib_a_plot_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert refusal(demo("--plot", tmp_path / "a.png")) == "--plot needs matplotlib: pip install 'mathdsl[plot]'"


@pytest.mark.parametrize("device", ["abacus", "meta", "cuda:97", "cpu:x", ""])
def test_a_device_that_does_not_compute_is_refused(device: str) -> None:
    assert refusal(demo("--device", device)).startswith(f"cannot compute on the device {device!r}: ")


def test_data_that_cannot_be_read_is_refused(news: Path, tmp_path: Path) -> None:
    (news / "test.csv").write_text('"1","word",""\n', encoding="utf-8")
    assert refusal(demo("--spec", "elman", "--data", news)) == "no held-out text is long enough; words needed: 2"
    (news / "test.csv").write_text('"9","word",""\n', encoding="utf-8")
    assert "test.csv, line 1: expected a class" in refusal(demo("--data", news))
    (news / "test.csv").unlink()
    assert "cannot read" in refusal(demo("--data", news))


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docstrings, "find_spec", lambda name: None)
    assert refusal(demo()) == "the demo reads the docstrings of torch, which is not installed"


@pytest.mark.parametrize(
    "arguments", [("--spec", "gru"), ("--steps", "0"), ("--seed", "-1"), ("--seed", str(2**32)), ("--data", "nowhere")]
)
def test_values_outside_an_option_are_refused(arguments: tuple[str, str]) -> None:
    result = demo(*arguments)
    assert result.exit_code == 2
    assert f"Invalid value for '{arguments[0]}'" in result.stderr


def test_help_names_every_spec() -> None:
    text = demo("--help").stdout
    assert demo("-h").stdout == text
    for name in ("elman", "lstm1997", "rhn", "transformer", "lstm_topic", "--plot FILE.png", "held-out"):
        assert name in text


def test_torch_without_numpy_is_no_news(news: Path, tmp_path: Path) -> None:
    """Neither the demo nor loading lets through that torch found no NumPy, which nothing here needs."""
    (tmp_path / "numpy.py").write_text("raise ModuleNotFoundError('No module named numpy')", encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[1])])
    load = "import mathdsl; mathdsl.load(r'\\Module{F}{x ; } \\Return 2 x \\\\ \\EndModule'); import torch"
    train = ["-m", "mathdsl", "demo", "--spec", "elman", "--data", str(news), "--steps", "20"]
    for arguments in (["-c", load], train, ["-c", "import torch"]):
        result = subprocess.run(
            [sys.executable, *arguments], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, check=True
        )
        assert ("Failed to initialize NumPy" in result.stderr) == ("import torch" in arguments), result.stderr
